// The stint command line: what all commands have in common.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "cli/command_table.h"
#include "cli/old_names.h"
#include "cli/options/opencl_twin.h"
#include "cli/terminal/print.h"
#include "cli/terminal/version.h"
#include "core/platform/cpu_info.h"
#include "core/platform/memory/program_pages.h"

namespace stint::cli {
namespace {

std::string VersionText() {
  return "stint " + Version() + " isa=" + std::string(IsaName(DetectIsa()));
}

// Help that opens with what a newcomer would type.
class ExamplesFirst : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    return app->get_footer() + "\n\n" + make_description(app) +
           make_usage(app, std::move(name)) + make_positionals(app) +
           make_groups(app, mode) + make_subcommands(app, mode);
  }
};

// Options of other commands than the asked one would only cost memory.
void AddCommands(std::string_view asked, CLI::App* app, int* exit_code) {
  if (const Command* command = FindCommand(asked)) {
    return command->add(app, exit_code);
  }
  for (const Command& command : Commands()) command.add(app, exit_code);
}

// An option of several values takes one word, "1,8", each time it is given: a
// second word is the next argument of the command.
void KeepListsShort(CLI::App* app) {
  const std::vector<CLI::Option*> options = app->get_options();
  const bool takes_words =
      std::any_of(options.begin(), options.end(),
                  [](CLI::Option* option) { return option->get_positional(); });
  for (CLI::Option* option : options) {
    const bool list = option->get_items_expected_max() > 1;
    if (option->get_positional() || !list) continue;
    if (!takes_words && option->get_delimiter() == '\0') continue;
    option->expected(1)->allow_extra_args(false)->take_all();
  }
  for (CLI::App* command : app->get_subcommands({})) KeepListsShort(command);
}

// "help run" is "run --help".
void ReplaceHelp(std::vector<std::string>* words) {
  if (!words->empty() && words->front() == "help") {
    words->erase(words->begin());
    words->emplace_back("--help");
  }
}

const CLI::App* DeepestParsed(const CLI::App* app) {
  for (const CLI::App* command : app->get_subcommands()) {
    return DeepestParsed(command);
  }
  return app;
}

// What no command knows, with what may have been meant; empty: something else
// is wrong.
std::string UnknownWord(const CLI::App& app) {
  const CLI::App* command = DeepestParsed(&app);
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  for (const CLI::App* each : command->get_subcommands({})) {
    known.push_back(each->get_name());
  }
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    const bool study = !command->get_subcommands({}).empty();
    if (!word.starts_with("-") && !study) continue;
    const std::string name = word.substr(0, word.find('='));
    const std::string closest = ClosestWord(name, known);
    return (word.starts_with("-") ? "unknown option '" : "unknown command '") +
           name + "'" +
           (closest.empty() ? "" : "; did you mean '" + closest + "'?");
  }
  return "";
}

int Usage(const std::string& message) {
  PrintError("stint: %s\n", message.c_str());
  return kExitUsage;
}

int Explain(const CLI::App& app, const CLI::ParseError& error) {
  const bool asked = error.get_exit_code() == 0;  // for help or the version
  const std::string unknown = asked ? "" : UnknownWord(app);
  if (!unknown.empty()) return Usage(unknown);
  std::ostringstream out;
  std::ostringstream err;  // quotes the command line
  const int code = app.exit(error, out, err);
  PrintText(out.str());
  PrintError("%s", err.str().c_str());
  return code == 0 ? kExitOk : kExitUsage;
}

// A command that counts every page starts with few.
void SavePages(std::string_view asked) {
  const Command* command = FindCommand(asked);
  if (command == nullptr || !command->within_budget) return;
  KeepHeapSmall();
  ReleaseProgramPages();
}

int Run(std::vector<std::string> words) {
  ReplaceHelp(&words);
  ReplaceOldNames(&words);
  const std::string asked = words.empty() ? "" : words.front();
  CLI::App app("Runs neural networks within a budget.", "stint");
  app.formatter(std::make_shared<ExamplesFirst>());
  app.footer(
      "Examples:\n"
      "  stint inspect model.onnx\n"
      "  stint run model/ --text \"a gripping, funny film\"\n"
      "  stint help COMMAND shows more");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  int exit_code = kExitOk;
  AddCommands(asked, &app, &exit_code);
  KeepListsShort(&app);
  if (words.empty()) {
    PrintText(app.help());
    return kExitUsage;
  }
  if (!asked.starts_with("-") && FindCommand(asked) == nullptr) {
    return Usage(UnknownCommand(asked));
  }
  std::reverse(words.begin(), words.end());  // as the parser takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return Explain(app, error);
  }
  return exit_code;
}

}  // namespace
}  // namespace stint::cli

int main(int argc, char** argv) {
  // The parser would throw to say that this is all, and the tables for one
  // exception are as large as a small model.
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    return std::puts(stint::cli::VersionText().c_str()) < 0 ? 1
                                                            : stint::kExitOk;
  }
  if (stint::cli::AsksForOpenCl(argc, argv)) {
    const int failed = stint::cli::BecomeOpenClTwin(argv);
    if (failed != stint::kExitOk) return failed;
  }
  if (argc > 1) stint::cli::SavePages(argv[1]);
  return stint::cli::Run({argv + 1, argv + argc});
}
