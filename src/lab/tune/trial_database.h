#pragma once
// Every schedule that was ever timed on a machine, in an SQLite file of the
// cache folder: what a search goes on from, and what its cost model learns.

#include <memory>
#include <string>
#include <vector>

#include "kernels/conv_blocked_f32/conv_schedule.h"
#include "stint/status.h"

struct sqlite3;

namespace stint {

struct Trial {
  std::string layer;  // as ConvLayerName
  ConvPlan plan;
  double us = 0;
};

// Used by one thread at a time. Errors name the file.
class TrialDatabase {
 public:
  // Makes the file when there is none; `machine` is a MachineKey's text. A file
  // that is no such database is kDamaged and left as it is.
  static Result<TrialDatabase> Open(const std::string& path,
                                    const std::string& machine);

  // Those of the machine, oldest first.
  Result<std::vector<Trial>> All();
  // Each lands whole, at once; a later time of the same replaces an earlier.
  Status Add(const std::vector<Trial>& trials);

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  TrialDatabase(std::string path, std::string machine, sqlite3* database)
      : path_(std::move(path)),
        machine_(std::move(machine)),
        database_(database) {}
  Status Prepare();

  std::string path_;
  std::string machine_;
  std::unique_ptr<sqlite3, Closer> database_;
};

// The file in a cache folder.
std::string TrialFile(const std::string& folder);

}  // namespace stint
