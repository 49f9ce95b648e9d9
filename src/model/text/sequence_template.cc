#include "model/text/sequence_template.h"

namespace stint {

using Kind = TemplatePart::Kind;

SequenceTemplate BertTemplate(int32_t cls_id, int32_t sep_id) {
  const TemplatePart cls{Kind::kSpecial, 0, {cls_id}};
  const TemplatePart sep{Kind::kSpecial, 0, {sep_id}};
  const TemplatePart last{Kind::kSpecial, 1, {sep_id}};
  return {.single = {cls, {Kind::kFirst, 0}, sep},
          .pair = {cls, {Kind::kFirst, 0}, sep, {Kind::kSecond, 1}, last}};
}

SequenceTemplate RobertaTemplate(int32_t cls_id, int32_t sep_id) {
  const TemplatePart cls{Kind::kSpecial, 0, {cls_id}};
  const TemplatePart sep{Kind::kSpecial, 0, {sep_id}};
  return {.single = {cls, {Kind::kFirst, 0}, sep},
          .pair = {cls, {Kind::kFirst, 0}, sep, sep, {Kind::kSecond, 0}, sep}};
}

}  // namespace stint
