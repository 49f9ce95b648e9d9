#pragma once
// What the steps of a session take on one row.

#include <string>
#include <vector>

#include "stint/session.h"

namespace stint {

struct TimedStep {
  std::string node;
  std::string op;  // as it runs: "BlockedConv", "QuantizedConv"
  double us = 0;
};

// Only changes the form of an image: its layout, or between float and bytes.
bool IsConversion(const TimedStep& step);

// Inputs for a run on the first row of a sample.
std::vector<Value> FirstRow(const std::vector<Value>& sample);

// The least time of each step over `runs` runs after a first one, which packs
// weights. The session must have been made with SessionOptions::profile.
Result<std::vector<TimedStep>> TimeSteps(const std::vector<Value>& row,
                                         int runs, Session* session);

}  // namespace stint
