#pragma once
// The studies of `stint study`, one file each, and what they share.

#include <string>

#include "cli/command.h"
#include "lab/study/study.h"

namespace stint::cli {

void AddElasticStudy(CLI::App* studies, int* exit_code);
void AddEnergyStudy(CLI::App* studies, int* exit_code);
void AddTaxStudy(CLI::App* studies, int* exit_code);
void AddMergeStudies(CLI::App* studies, int* exit_code);

// --shard i/n; needs the option of the database, whose parts are merged later.
void AddShard(CLI::App* command, CLI::Option* database, Shard* shard);

// The folder of peers beside the build folder or, when installed, under share.
std::string DefaultPeersFolder();

}  // namespace stint::cli
