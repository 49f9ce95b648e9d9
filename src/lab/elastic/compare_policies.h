#pragma once
// What the rows of an elastic study say of the policies.

#include <string>

#include "lab/elastic/elastic_report.h"

namespace stint {

// The value that counts where there is no answer.
double ChanceValue(const std::string& metric);

PolicySummary SummarizePolicy(const ElasticReport& report,
                              const std::string& policy);

// Fills what compares our policy with the others from the rows; nothing when
// the study has only one of both sides.
void ComparePolicies(ElasticReport* report);

}  // namespace stint
