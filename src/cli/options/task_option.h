#pragma once
// --task: what a data set is, where its name does not say.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stint::cli {

// All that data can be of.
const std::vector<std::string>& Tasks();

// Add it before the option of the data, which is then given to GuessByName.
CLI::Option* AddTask(CLI::App* app, std::string* task,
                     const std::vector<std::string>& tasks = Tasks());

// Sets the task by the name that `data` gets, unless it is set; an error of
// usage where the name says nothing.
void GuessByName(CLI::Option* data, std::string* task);

}  // namespace stint::cli
