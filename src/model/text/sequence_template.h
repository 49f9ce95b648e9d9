#pragma once
// Where special tokens go around one or two sequences of ids, for example
// [CLS] A [SEP] B [SEP], and which type id each part gets.

#include <cstdint>
#include <vector>

namespace stint {

struct TemplatePart {
  enum class Kind { kSpecial, kFirst, kSecond };
  Kind kind;
  int32_t type_id = 0;
  std::vector<int32_t> ids = {};  // of a special part
};

struct SequenceTemplate {
  // The sequences bare, with type ids 0 and 1.
  std::vector<TemplatePart> single = {{TemplatePart::Kind::kFirst, 0}};
  std::vector<TemplatePart> pair = {{TemplatePart::Kind::kFirst, 0},
                                    {TemplatePart::Kind::kSecond, 1}};
};

// [CLS] A [SEP] and [CLS] A [SEP] B [SEP] with type id 1 from B on.
SequenceTemplate BertTemplate(int32_t cls_id, int32_t sep_id);
// <s> A </s> and <s> A </s> </s> B </s>, all of type 0.
SequenceTemplate RobertaTemplate(int32_t cls_id, int32_t sep_id);

}  // namespace stint
