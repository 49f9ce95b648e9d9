#include "cli/options/task_option.h"

#include <CLI/CLI.hpp>

#include "convert/data/guess_task.h"
#include "core/platform/file.h"

namespace stint::cli {

const std::vector<std::string>& Tasks() {
  static const auto* const tasks = new std::vector<std::string>{
      "sst2", "rte", "mrpc", "cola", "stsb", "qnli", "cifar10", "imagefolder"};
  return *tasks;
}

CLI::Option* AddTask(CLI::App* app, std::string* task,
                     const std::vector<std::string>& tasks) {
  return app
      ->add_option("--task", *task,
                   "Task of the data set; .bin, .tar and folders say it "
                   "themselves")
      ->check(CLI::IsMember(tasks));
}

void GuessByName(CLI::Option* data, std::string* task) {
  data->check([task](const std::string& path) -> std::string {
    if (task->empty()) *task = GuessTask(path);
    if (!task->empty()) return "";
    const bool there = FileExists(path) || DirectoryExists(path);
    return path + (there ? " needs --task" : ": no such file or folder");
  });
}

}  // namespace stint::cli
