#include "model/text/read_vocabulary.h"

#include <algorithm>

namespace stint {
namespace {

using Kind = TemplatePart::Kind;

// ["[CLS]", 101]
Result<int32_t> ReadTokenAndId(const JsonNode& node) {
  if (!node.value().is_array() || node.value().size() != 2) {
    return node.Expected("a token and its id");
  }
  return ReadTokenId(node.At(1));
}

Result<TemplatePart> ReadSpecialPart(const JsonNode& node,
                                     const JsonNode& special_tokens) {
  TemplatePart part{Kind::kSpecial};
  STINT_ASSIGN_OR_RETURN(const JsonNode name_node, node.Get("id"));
  STINT_ASSIGN_OR_RETURN(const std::string name, name_node.AsString());
  STINT_ASSIGN_OR_RETURN(const JsonNode token, special_tokens.Get(name));
  STINT_ASSIGN_OR_RETURN(const JsonNode ids, token.Get("ids"));
  STINT_RETURN_IF_ERROR(ids.ExpectArray());
  for (size_t i = 0; i < ids.value().size(); ++i) {
    STINT_ASSIGN_OR_RETURN(const int32_t id, ReadTokenId(ids.At(i)));
    part.ids.push_back(id);
  }
  return part;
}

Result<TemplatePart> ReadPart(const JsonNode& node,
                              const JsonNode& special_tokens) {
  TemplatePart part{Kind::kFirst};
  auto inner = node.Find("Sequence");
  if (inner) {
    STINT_ASSIGN_OR_RETURN(const JsonNode id, inner->Get("id"));
    STINT_ASSIGN_OR_RETURN(const std::string name, id.AsString());
    if (name != "A" && name != "B") return id.Expected("'A' or 'B'");
    part.kind = name == "A" ? Kind::kFirst : Kind::kSecond;
  } else {
    inner = node.Find("SpecialToken");
    if (!inner) return node.Expected("a Sequence or a SpecialToken");
    STINT_ASSIGN_OR_RETURN(part, ReadSpecialPart(*inner, special_tokens));
  }
  STINT_ASSIGN_OR_RETURN(const int64_t type_id, inner->IntOr("type_id", 0));
  part.type_id =
      static_cast<int32_t>(std::clamp<int64_t>(type_id, 0, INT32_MAX));
  return part;
}

// Sequence A must occur once, sequence B `expected_second` times.
Result<std::vector<TemplatePart>> ReadParts(const JsonNode& node,
                                            const JsonNode& special_tokens,
                                            int expected_second) {
  STINT_RETURN_IF_ERROR(node.ExpectArray());
  std::vector<TemplatePart> parts;
  int first = 0;
  int second = 0;
  for (size_t i = 0; i < node.value().size(); ++i) {
    STINT_ASSIGN_OR_RETURN(TemplatePart part,
                           ReadPart(node.At(i), special_tokens));
    first += part.kind == Kind::kFirst;
    second += part.kind == Kind::kSecond;
    parts.push_back(std::move(part));
  }
  if (first == 1 && second == expected_second) return parts;
  return Damaged(node.where() + ": expected sequence A once and B " +
                 std::to_string(expected_second) + " times, found " +
                 std::to_string(first) + " and " + std::to_string(second));
}

Result<SequenceTemplate> ReadTemplateProcessing(const JsonNode& node) {
  SequenceTemplate result;
  const nlohmann::json none = nlohmann::json::object();
  const JsonNode special_tokens =
      node.Find("special_tokens").value_or(JsonNode(none, node.where()));
  STINT_ASSIGN_OR_RETURN(const JsonNode single, node.Get("single"));
  STINT_ASSIGN_OR_RETURN(result.single, ReadParts(single, special_tokens, 0));
  STINT_ASSIGN_OR_RETURN(const JsonNode pair, node.Get("pair"));
  STINT_ASSIGN_OR_RETURN(result.pair, ReadParts(pair, special_tokens, 1));
  return result;
}

Result<SequenceTemplate> ReadProcessor(const JsonNode& node);

// ByteLevel only moves offsets, so one other processor may stand beside it.
Result<SequenceTemplate> ReadProcessorSequence(const JsonNode& node) {
  STINT_ASSIGN_OR_RETURN(const JsonNode list, node.Get("processors"));
  STINT_RETURN_IF_ERROR(list.ExpectArray());
  SequenceTemplate result;
  int found = 0;
  for (size_t i = 0; i < list.value().size(); ++i) {
    const JsonNode item = list.At(i);
    STINT_ASSIGN_OR_RETURN(const std::string type, item.StringOr("type", ""));
    if (type == "ByteLevel") continue;
    if (type == "Sequence" || ++found > 1) {
      return Unsupported(item.where() + ": " + Quoted(type) +
                         " is not supported, expected ByteLevel after the "
                         "first processor");
    }
    STINT_ASSIGN_OR_RETURN(result, ReadProcessor(item));
  }
  return result;
}

Result<SequenceTemplate> ReadProcessor(const JsonNode& node) {
  STINT_ASSIGN_OR_RETURN(const JsonNode type_node, node.Get("type"));
  STINT_ASSIGN_OR_RETURN(const std::string type, type_node.AsString());
  if (type == "ByteLevel") return SequenceTemplate();
  if (type == "TemplateProcessing") return ReadTemplateProcessing(node);
  if (type == "Sequence") return ReadProcessorSequence(node);
  if (type != "BertProcessing" && type != "RobertaProcessing") {
    return Unsupported(node.where() + ": " + Quoted(type) +
                       " is not supported, expected TemplateProcessing, "
                       "BertProcessing, RobertaProcessing or ByteLevel");
  }
  STINT_ASSIGN_OR_RETURN(const JsonNode cls, node.Get("cls"));
  STINT_ASSIGN_OR_RETURN(const int32_t cls_id, ReadTokenAndId(cls));
  STINT_ASSIGN_OR_RETURN(const JsonNode sep, node.Get("sep"));
  STINT_ASSIGN_OR_RETURN(const int32_t sep_id, ReadTokenAndId(sep));
  return type == "BertProcessing" ? BertTemplate(cls_id, sep_id)
                                  : RobertaTemplate(cls_id, sep_id);
}

}  // namespace

Result<int32_t> ReadTokenId(const JsonNode& node) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, node.AsInt());
  if (id < 0 || id >= INT32_MAX) {
    return node.Expected("a token id from 0 to 2^31 - 2");
  }
  return static_cast<int32_t>(id);
}

Result<TokenList> ReadTokenList(const JsonNode& node) {
  STINT_RETURN_IF_ERROR(node.ExpectObject());
  TokenList tokens;
  for (auto it = node.value().begin(); it != node.value().end(); ++it) {
    if (!it->is_number_integer() || *it < 0 || *it >= INT32_MAX) {
      return Damaged(node.where() + ": token " + Quoted(it.key()) +
                     ": expected an id from 0 to 2^31 - 2, found " +
                     std::string(it->type_name()));
    }
    tokens.Add(it.key(), it->get<int32_t>());
  }
  return tokens;
}

Result<SequenceTemplate> ReadSequenceTemplate(const JsonNode& root) {
  const auto node = root.Find("post_processor");
  return node ? ReadProcessor(*node)
              : Result<SequenceTemplate>(SequenceTemplate());
}

Result<int32_t> ReadPadId(const JsonNode& root, const SubwordModel& model) {
  if (const auto padding = root.Find("padding")) {
    if (const auto id = padding->Find("pad_id")) return ReadTokenId(*id);
  }
  for (const std::string_view token : {"[PAD]", "<pad>"}) {
    if (const auto id = model.Find(token)) return *id;
  }
  return 0;
}

}  // namespace stint
