#pragma once
// Every command by name: the program, its help and its tests go by this list.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace stint::cli {

struct Command {
  const char* name;
  void (*add)(CLI::App* app, int* exit_code);
  bool within_budget = false;  // counts every page of the process
};

std::span<const Command> Commands();

// Nullptr when there is none.
const Command* FindCommand(std::string_view name);

// "unknown command 'rnu'; did you mean 'run'?"
std::string UnknownCommand(std::string_view name);

// The known word that is written most like `word`; empty where none is close.
std::string ClosestWord(std::string_view word,
                        const std::vector<std::string>& known);

}  // namespace stint::cli
