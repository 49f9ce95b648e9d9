#pragma once
// Runs the points of a side-by-side study: makes the inputs, visits the peer,
// compares its outputs with the reference.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/bench_model.h"
#include "lab/peers/peer_client.h"
#include "stint/model.h"
#include "stint/session.h"

namespace stint {

class BenchPoints {
 public:
  // Finds every peer's program, kNotFound when one does not exist, makes the
  // inputs and exports a model that is a folder for the peers. `folder` holds
  // inputs and outputs; `study` and `database` must outlive this. The model
  // need not: while its file is mapped, it cannot leave the page cache.
  static Result<BenchPoints> Make(const BenchOptions& options,
                                  const Model& model, const Study& study,
                                  const std::string& folder,
                                  StudyDatabase* database);

  // In round 0 outputs are compared, too. An error is one of ours.
  Result<Outcome> Run(const Point& point);

 private:
  BenchPoints(const BenchOptions& options, const Study& study,
              std::string folder, StudyDatabase* database)
      : options_(options),
        study_(&study),
        folder_(std::move(folder)),
        database_(database) {}

  Status FindPrograms();
  Status ExportForPeers(const Model& model);
  Status WriteInputs(const Model& model, const Setting& condition);
  Result<std::vector<NamedValue>> Reference(const Setting& condition);
  // Compares or, when there is none yet, becomes the reference.
  Status Check(const Point& point, const std::vector<NamedValue>& outputs,
               Outcome* outcome);

  BenchOptions options_;
  const Study* study_;
  std::string folder_;
  StudyDatabase* database_;
  std::map<std::string, PeerProgram> programs_;
  std::string model_for_peers_;
  std::map<std::string, std::vector<PeerInput>> inputs_;  // by condition
};

}  // namespace stint
