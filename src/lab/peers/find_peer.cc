#include "core/platform/file.h"
#include "lab/peers/peer_client.h"

namespace stint {
namespace {

constexpr char kSuffix[] = "_peer.py";

// "stint, onnxruntime, openvino"
std::string KnownPeers(const std::string& folder) {
  std::string names = "stint";
  const auto files = ListDirectory(folder);
  if (!files.ok()) return names;
  for (const std::string& file : *files) {
    if (!file.ends_with(kSuffix)) continue;
    names += ", " + file.substr(0, file.size() - sizeof(kSuffix) + 1);
  }
  return names;
}

}  // namespace

Result<PeerProgram> FindPeer(const std::string& name,
                             const std::string& peers_folder,
                             const std::string& stint_executable) {
  if (name == "stint") return PeerProgram{name, {stint_executable, "peer"}};
  const std::string script = JoinPath(peers_folder, name + kSuffix);
  if (name.find('/') != std::string::npos || !FileExists(script)) {
    return NotFound("no runtime '" + name + "'; known in '" + peers_folder +
                    "': " + KnownPeers(peers_folder));
  }
  const std::string python =
      JoinPath(peers_folder, "../.venv-peers/" + name + "/bin/python3");
  return PeerProgram{name, {FileExists(python) ? python : "python3", script}};
}

}  // namespace stint
