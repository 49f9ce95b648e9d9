#include "convert/huggingface/config.h"

#include <algorithm>

#include "core/platform/file.h"
#include "model/text/json_node.h"

namespace stint {
namespace {

// The keys and defaults of one model type in transformers. An empty key means
// that the model has no such setting and the default holds.
struct FamilyRow {
  std::string_view model_type;
  EncoderFamily family;
  const char* hidden_size;
  const char* layers;
  const char* heads;
  const char* intermediate_size;
  const char* activation;
  const char* type_vocab_size;
  const char* layer_norm_eps;
  int64_t default_vocab_size;
  int64_t default_layers;
  int64_t default_types;
  int64_t default_pad_id;
};

constexpr FamilyRow kFamilies[] = {
    {"bert", EncoderFamily::kBert, "hidden_size", "num_hidden_layers",
     "num_attention_heads", "intermediate_size", "hidden_act",
     "type_vocab_size", "layer_norm_eps", 30522, 12, 2, 0},
    {"roberta", EncoderFamily::kRoberta, "hidden_size", "num_hidden_layers",
     "num_attention_heads", "intermediate_size", "hidden_act",
     "type_vocab_size", "layer_norm_eps", 50265, 12, 2, 1},
    {"distilbert", EncoderFamily::kDistilBert, "dim", "n_layers", "n_heads",
     "hidden_dim", "activation", "", "", 30522, 6, 0, 0},
};

struct ActivationRow {
  std::string_view name;
  EncoderActivation activation;
};
constexpr ActivationRow kActivations[] = {
    {"gelu", EncoderActivation::kGelu},
    {"gelu_python", EncoderActivation::kGelu},
    {"gelu_new", EncoderActivation::kGeluTanh},
    {"gelu_fast", EncoderActivation::kGeluTanh},
    {"gelu_pytorch_tanh", EncoderActivation::kGeluTanh},
    {"relu", EncoderActivation::kRelu},
};

// Larger than any real model, small enough for products of two.
constexpr int64_t kLargestSize = int64_t{1} << 30;

Result<int64_t> ReadSize(const JsonNode& root, const char* key,
                         int64_t fallback, int64_t least = 1) {
  STINT_ASSIGN_OR_RETURN(const int64_t size, root.IntOr(key, fallback));
  if (size >= least && size <= kLargestSize) return size;
  return Damaged(root.where() + " " + key + ": expected a number from " +
                 std::to_string(least) + " to " + std::to_string(kLargestSize) +
                 ", found " + std::to_string(size));
}

Result<const FamilyRow*> FindFamily(const JsonNode& root) {
  STINT_ASSIGN_OR_RETURN(const JsonNode node, root.Get("model_type"));
  STINT_ASSIGN_OR_RETURN(const std::string type, node.AsString());
  for (const FamilyRow& row : kFamilies) {
    if (row.model_type == type) return &row;
  }
  return Unsupported(node.where() + ": " + Quoted(type) +
                     " is not supported, expected bert, distilbert or roberta");
}

Result<EncoderActivation> ReadActivation(const JsonNode& root,
                                         const char* key) {
  STINT_ASSIGN_OR_RETURN(const std::string name, root.StringOr(key, "gelu"));
  for (const ActivationRow& row : kActivations) {
    if (row.name == name) return row.activation;
  }
  return Unsupported(root.where() + " " + key + ": " + Quoted(name) +
                     " is not supported, expected gelu, gelu_new or relu");
}

// Refuses settings that change what the network computes.
Status CheckVariant(const JsonNode& root) {
  STINT_ASSIGN_OR_RETURN(const std::string positions,
                         root.StringOr("position_embedding_type", "absolute"));
  if (positions != "absolute") {
    return Unsupported(root.where() +
                       " position_embedding_type: " + Quoted(positions) +
                       " is not supported, expected 'absolute'");
  }
  for (const char* key : {"is_decoder", "add_cross_attention"}) {
    STINT_ASSIGN_OR_RETURN(const bool on, root.BoolOr(key, false));
    if (on) {
      return Unsupported(root.where() + " " + key +
                         ": true is not supported, expected false");
    }
  }
  return OkStatus();
}

// id2label is an object of "0", "1", ... and names.
Result<std::vector<std::string>> ReadLabels(const JsonNode& root) {
  std::vector<std::string> labels;
  const auto map = root.Find("id2label");
  if (!map) return labels;
  STINT_RETURN_IF_ERROR(map->ExpectObject());
  for (size_t id = 0; id < map->value().size(); ++id) {
    STINT_ASSIGN_OR_RETURN(const JsonNode node, map->Get(std::to_string(id)));
    STINT_ASSIGN_OR_RETURN(std::string label, node.AsString());
    labels.push_back(std::move(label));
  }
  return labels;
}

Status ReadSizes(const JsonNode& root, const FamilyRow& row,
                 EncoderConfig* config) {
  STINT_ASSIGN_OR_RETURN(config->vocab_size,
                         ReadSize(root, "vocab_size", row.default_vocab_size));
  STINT_ASSIGN_OR_RETURN(config->hidden_size,
                         ReadSize(root, row.hidden_size, 768));
  STINT_ASSIGN_OR_RETURN(config->layers,
                         ReadSize(root, row.layers, row.default_layers));
  STINT_ASSIGN_OR_RETURN(config->heads, ReadSize(root, row.heads, 12));
  STINT_ASSIGN_OR_RETURN(config->intermediate_size,
                         ReadSize(root, row.intermediate_size, 3072));
  STINT_ASSIGN_OR_RETURN(config->max_positions,
                         ReadSize(root, "max_position_embeddings", 512));
  STINT_ASSIGN_OR_RETURN(
      config->type_vocab_size,
      ReadSize(root, row.type_vocab_size, row.default_types, 0));
  STINT_ASSIGN_OR_RETURN(config->pad_id,
                         ReadSize(root, "pad_token_id", row.default_pad_id, 0));
  if (config->hidden_size % config->heads == 0) return OkStatus();
  return Damaged(root.where() + " expected " + row.hidden_size +
                 " to be a multiple of " + row.heads + ", found " +
                 std::to_string(config->hidden_size) + " and " +
                 std::to_string(config->heads));
}

Result<std::vector<int>> ReadNumbers(const JsonNode& list) {
  STINT_RETURN_IF_ERROR(list.ExpectArray());
  std::vector<int> numbers;
  for (size_t i = 0; i < list.value().size(); ++i) {
    STINT_ASSIGN_OR_RETURN(const int64_t number, list.At(i).AsInt());
    if (number < 0 || number > 65535) {
      return Damaged(list.where() + " expected small numbers, found " +
                     std::to_string(number));
    }
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

// "elastic": {"widths": [12, 9], "layers": {"6": [0, 1, ...], "3": [...]},
// "slices": 12}: every width with the layers of every depth.
Result<std::vector<SubNetwork>> ReadElastic(const JsonNode& root,
                                            const EncoderConfig& config) {
  std::vector<SubNetwork> networks;
  const auto elastic = root.Find("elastic");
  if (!elastic) return networks;
  STINT_ASSIGN_OR_RETURN(const JsonNode width_list, elastic->Get("widths"));
  STINT_ASSIGN_OR_RETURN(const std::vector<int> widths,
                         ReadNumbers(width_list));
  STINT_ASSIGN_OR_RETURN(const JsonNode layers, elastic->Get("layers"));
  STINT_RETURN_IF_ERROR(layers.ExpectObject());
  for (const auto& item : layers.value().items()) {
    STINT_ASSIGN_OR_RETURN(const JsonNode list, layers.Get(item.key()));
    STINT_ASSIGN_OR_RETURN(const std::vector<int> blocks, ReadNumbers(list));
    if (blocks.empty() || blocks.back() >= config.layers ||
        !std::is_sorted(blocks.begin(), blocks.end())) {
      return Damaged(list.where() + " expected layers of " +
                     std::to_string(config.layers) + " in order");
    }
    for (int width : widths) {
      if (width < 1 || width > config.heads) {
        return Damaged(width_list.where() + " expected 1 to " +
                       std::to_string(config.heads) + " heads, found " +
                       std::to_string(width));
      }
      const bool whole = width == config.heads &&
                         static_cast<int64_t>(blocks.size()) == config.layers;
      if (!whole) networks.push_back({blocks, width, 0});
    }
  }
  return networks;
}

Result<std::string> ReadArchitecture(const JsonNode& root) {
  const auto list = root.Find("architectures");
  if (!list) return std::string();
  STINT_RETURN_IF_ERROR(list->ExpectArray());
  return list->value().empty() ? std::string() : list->At(0).AsString();
}

}  // namespace

Result<EncoderConfig> ReadEncoderConfig(std::string_view content,
                                        const std::string& file) {
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document,
                         ParseJson(content, file));
  const JsonNode root(document, file);
  STINT_ASSIGN_OR_RETURN(const FamilyRow* row, FindFamily(root));
  STINT_RETURN_IF_ERROR(CheckVariant(root));
  EncoderConfig config;
  config.family = row->family;
  STINT_ASSIGN_OR_RETURN(config.architecture, ReadArchitecture(root));
  STINT_RETURN_IF_ERROR(ReadSizes(root, *row, &config));
  if (row->family == EncoderFamily::kRoberta) {
    config.first_position = config.pad_id + 1;
  }
  if (config.first_position >= config.max_positions) {
    return Damaged(root.where() + " max_position_embeddings: expected more " +
                   "than " + std::to_string(config.first_position) +
                   ", found " + std::to_string(config.max_positions));
  }
  STINT_ASSIGN_OR_RETURN(config.layer_norm_eps,
                         root.DoubleOr(row->layer_norm_eps, 1e-12));
  STINT_ASSIGN_OR_RETURN(config.activation,
                         ReadActivation(root, row->activation));
  STINT_ASSIGN_OR_RETURN(config.labels, ReadLabels(root));
  STINT_ASSIGN_OR_RETURN(config.sub_networks, ReadElastic(root, config));
  STINT_ASSIGN_OR_RETURN(config.problem_type,
                         root.StringOr("problem_type", ""));
  return config;
}

Result<EncoderConfig> LoadEncoderConfig(const std::string& folder) {
  const std::string path = JoinPath(folder, "config.json");
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  return ReadEncoderConfig(content, path);
}

}  // namespace stint
