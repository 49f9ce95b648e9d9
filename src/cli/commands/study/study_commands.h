#pragma once
// The studies of `stint study`, one file each, the report of what they found,
// and what they share.

#include <string>

#include "cli/options/run_options.h"
#include "lab/peers/make_inputs.h"
#include "lab/study/study.h"

namespace stint {
struct ReportSection;
}  // namespace stint

namespace stint::cli {

void AddReportCommand(CLI::App* app, int* exit_code);

void AddElasticStudy(CLI::App* studies, int* exit_code);
void AddEnergyStudy(CLI::App* studies, int* exit_code);
void AddStackStudy(CLI::App* studies, int* exit_code);
void AddTaxStudy(CLI::App* studies, int* exit_code);
void AddMergeStudies(CLI::App* studies, int* exit_code);

// --shard i/n; needs the option of the database, whose parts are merged later.
void AddShard(CLI::App* command, CLI::Option* database, Shard* shard);

// --input-shape NAME=1x3x224x224, repeatable.
void AddInputShapes(CLI::App* command, InputShapes* shapes);

// --format with table, json, csv and md; takes the place of a narrower one that
// the command may have.
void AddStudyFormat(CLI::App* command, std::string* format);

// Prints a section as Markdown or CSV; false when `format` is neither.
bool PrintSection(const std::string& format, const ReportSection& section);

// The folder of peers beside the build folder or, when installed, under share.
std::string DefaultPeersFolder();

}  // namespace stint::cli
