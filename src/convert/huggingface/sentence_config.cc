// The files of sentence-transformers: modules.json lists the stages, each with
// a folder that holds its settings.

#include "convert/huggingface/config.h"
#include "core/platform/file.h"
#include "model/text/json_node.h"

namespace stint {
namespace {

// The pooling modes as separate switches, the older form.
constexpr const char* kPoolingSwitches[] = {
    "pooling_mode_cls_token",           "pooling_mode_mean_tokens",
    "pooling_mode_max_tokens",          "pooling_mode_mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken",
};

Result<Pooling> PoolingFromName(const std::string& name,
                                const std::string& where) {
  if (name == "mean" || name == "pooling_mode_mean_tokens") {
    return Pooling::kMean;
  }
  if (name == "cls" || name == "pooling_mode_cls_token") return Pooling::kCls;
  return Unsupported(where + " pooling " + Quoted(name) +
                     " is not supported, expected mean or cls");
}

Result<Pooling> ReadPooling(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document,
                         ParseJson(content, path));
  const JsonNode root(document, path);
  STINT_ASSIGN_OR_RETURN(std::string mode, root.StringOr("pooling_mode", ""));
  for (const char* key : kPoolingSwitches) {
    STINT_ASSIGN_OR_RETURN(const bool on, root.BoolOr(key, false));
    if (!on) continue;
    if (!mode.empty()) {
      return Unsupported(root.where() + " pooling by " + mode + " and " + key +
                         " together is not supported, expected one of them");
    }
    mode = key;
  }
  if (mode.empty()) return root.Expected("a pooling mode");
  return PoolingFromName(mode, root.where());
}

Status ReadTransformer(const std::string& folder, SentenceConfig* config) {
  const std::string path = JoinPath(folder, "sentence_bert_config.json");
  if (!FileExists(path)) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document,
                         ParseJson(content, path));
  const JsonNode root(document, path);
  STINT_ASSIGN_OR_RETURN(config->lowercase,
                         root.BoolOr("do_lower_case", false));
  STINT_ASSIGN_OR_RETURN(config->max_length, root.IntOr("max_seq_length", 0));
  if (config->max_length >= 0) return OkStatus();
  return Damaged(path + ": max_seq_length: expected a number from 0, found " +
                 std::to_string(config->max_length));
}

bool StaysInside(std::string_view path) {
  return !path.starts_with('/') && path.find("..") == path.npos;
}

// One stage; `node` is its object in modules.json.
Status ReadModule(const JsonNode& node, const std::string& folder,
                  SentenceConfig* config) {
  STINT_ASSIGN_OR_RETURN(const JsonNode type_node, node.Get("type"));
  STINT_ASSIGN_OR_RETURN(const std::string type, type_node.AsString());
  std::string path;
  STINT_ASSIGN_OR_RETURN(path, node.StringOr("path", ""));
  if (!StaysInside(path)) {
    return Damaged(node.where() + ".path: expected a path inside the folder, " +
                   "found " + Quoted(path));
  }
  const std::string place = path.empty() ? folder : JoinPath(folder, path);
  const std::string name = type.substr(type.rfind('.') + 1);
  if (name == "Transformer") return ReadTransformer(place, config);
  if (name == "Pooling") {
    STINT_ASSIGN_OR_RETURN(config->pooling,
                           ReadPooling(JoinPath(place, "config.json")));
    return OkStatus();
  }
  if (name == "Normalize") {
    config->normalize = true;
    return OkStatus();
  }
  return Unsupported(type_node.where() + ": " + Quoted(type) +
                     " is not supported, expected Transformer, Pooling or "
                     "Normalize");
}

}  // namespace

Result<SentenceConfig> LoadSentenceConfig(const std::string& folder) {
  SentenceConfig config;
  const std::string path = JoinPath(folder, "modules.json");
  if (!FileExists(path)) return config;
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document,
                         ParseJson(content, path));
  const JsonNode root(document, path);
  STINT_RETURN_IF_ERROR(root.ExpectArray());
  for (size_t i = 0; i < document.size(); ++i) {
    STINT_RETURN_IF_ERROR(ReadModule(root.At(i), folder, &config));
  }
  return config;
}

}  // namespace stint
