#pragma once
// The studies of `stint study`, one file each.

namespace CLI {
class App;
}  // namespace CLI

namespace stint::cli {

void AddElasticStudy(CLI::App* studies, int* exit_code);
void AddEnergyStudy(CLI::App* studies, int* exit_code);
void AddStackStudy(CLI::App* studies, int* exit_code);
void AddTaxStudy(CLI::App* studies, int* exit_code);
void AddMergeStudies(CLI::App* studies, int* exit_code);

}  // namespace stint::cli
