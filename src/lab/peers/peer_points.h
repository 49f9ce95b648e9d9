#pragma once
// Runs points that are a runtime on a model: makes the inputs, visits the peer,
// compares its outputs with the reference. Conditions have the axes `model`
// (left out where there is only one), `batch`, `seq` (where the model has one)
// and `threads`; treatments have `runtime`, `precision` and `entry`.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/peers/make_inputs.h"
#include "lab/peers/peer_client.h"
#include "lab/peers/visit_peer.h"
#include "lab/study/study_database.h"
#include "stint/model.h"
#include "stint/session.h"

namespace stint {

// `runtime` is the name of a peer, with ":mode" where it has several ways to
// run ("pytorch:compiled"). `entry` 2 is the same once more, to see the noise.
Setting PeerTreatment(const std::string& runtime, const std::string& precision,
                      int entry = 1);

struct PeerPointsOptions {
  std::string isa;        // cap of the instruction set; empty: none
  std::string device;     // of stint; empty: the CPU
  std::string primitive;  // of convolutions in stint; empty: the fastest
  std::string schedule = "tuned";
  uint64_t seed = 1;  // of the inputs
  InputShapes input_shapes;
  VisitOptions visit;  // of measured rounds
  std::string peers_folder;
  std::string stint_executable;
};

class PeerPoints {
 public:
  // Finds every peer's program, kNotFound when one does not exist. `folder`
  // holds inputs and outputs; `study` and `database` must outlive this.
  static Result<PeerPoints> Make(const PeerPointsOptions& options,
                                 const Study& study, const std::string& folder,
                                 StudyDatabase* database);

  // Makes the inputs of all conditions of the model (`name` is its value on the
  // axis; empty without one) and exports a model that is a folder for the
  // peers. The model need not outlive this: while its file is mapped, it cannot
  // leave the page cache.
  Status AddModel(const std::string& name, const std::string& path,
                  const Model& model);

  // In round 0 outputs are compared, too. An error is one of ours.
  Result<Outcome> Run(const Point& point);

 private:
  PeerPoints(const PeerPointsOptions& options, const Study& study,
             std::string folder, StudyDatabase* database)
      : options_(options),
        study_(&study),
        folder_(std::move(folder)),
        database_(database) {}

  struct ModelFiles {
    std::string own;
    std::string for_peers;
  };

  Status FindPrograms();
  Status WriteInputs(const Model& model, const Setting& condition);
  Result<std::vector<NamedValue>> Reference(const Setting& condition);
  // Compares or, when there is none yet, becomes the reference.
  Status Check(const Point& point, const std::vector<NamedValue>& outputs,
               Outcome* outcome);

  PeerPointsOptions options_;
  const Study* study_;
  std::string folder_;
  StudyDatabase* database_;
  std::map<std::string, PeerProgram> programs_;  // by runtime
  std::map<std::string, ModelFiles> models_;
  std::map<std::string, std::vector<PeerInput>> inputs_;  // by condition
};

}  // namespace stint
