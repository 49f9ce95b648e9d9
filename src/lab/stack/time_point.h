#pragma once
// A round in which a point of a study across the stack is only timed: a fresh
// process of `stint peer` on random inputs.

#include <map>
#include <string>
#include <vector>

#include "lab/peers/peer_client.h"
#include "lab/stack/stack_study.h"

namespace stint {

// What `stint peer` loads: the point's compressed model in `file`, run as
// `stint eval` runs it.
Result<PeerLoad> StackPeerLoad(const Point& point, const std::string& file);

// Times points, with inputs that are made once per model and kept in a folder.
class PointTimer {
 public:
  PointTimer(StackStudyOptions options, std::string folder)
      : options_(std::move(options)), folder_(std::move(folder)) {}

  // Has the sample kBlockSample: the low quantile of the runs of a block.
  Result<Outcome> Time(const Point& point, const std::string& file);

 private:
  Result<std::vector<PeerInput>> InputsOf(const std::string& model);

  StackStudyOptions options_;
  std::string folder_;
  std::map<std::string, std::vector<PeerInput>> inputs_;  // by model
};

}  // namespace stint
