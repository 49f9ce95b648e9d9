#include "model/text/tokenizer.h"

#include <algorithm>

namespace stint {
namespace {

std::vector<AddedToken> Select(const TokenizerParts& parts, bool normalized) {
  std::vector<AddedToken> tokens;
  for (AddedToken token : parts.added_tokens) {
    if (token.normalized != normalized) continue;
    if (normalized) token.content = parts.model->Normalize(token.content);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// Cuts both sequences to `room` ids together, the longer one first.
void TruncateLongestFirst(size_t room, std::vector<int32_t>* first,
                          std::vector<int32_t>* second) {
  if (first->size() + second->size() <= room) return;
  std::vector<int32_t>* shorter = first;
  std::vector<int32_t>* longer = second;
  if (shorter->size() > longer->size()) std::swap(shorter, longer);
  size_t keep_shorter = shorter->size();
  size_t keep_longer = keep_shorter > room
                           ? keep_shorter
                           : std::max(keep_shorter, room - keep_shorter);
  if (keep_shorter + keep_longer > room) {
    keep_shorter = room / 2;
    keep_longer = room - keep_shorter;
  }
  shorter->resize(keep_shorter);
  longer->resize(keep_longer);
}

size_t SpecialCount(const std::vector<TemplatePart>& parts) {
  size_t count = 0;
  for (const TemplatePart& part : parts) count += part.ids.size();
  return count;
}

void AppendPart(const std::vector<int32_t>& ids, int32_t type_id,
                Encoding* out) {
  out->ids.insert(out->ids.end(), ids.begin(), ids.end());
  out->type_ids.resize(out->ids.size(), type_id);
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts)
    : added_tokens_(parts.added_tokens),
      raw_tokens_(Select(parts, /*normalized=*/false)),
      normalized_tokens_(Select(parts, /*normalized=*/true)),
      sequence_template_(std::move(parts.sequence_template)),
      pad_id_(parts.pad_id),
      vocabulary_size_(parts.model->vocabulary_size()) {
  model_ = std::move(parts.model);
  for (const AddedToken& token : added_tokens_) {
    vocabulary_size_ = std::max<int64_t>(vocabulary_size_, token.id + 1LL);
  }
}

std::optional<int32_t> Tokenizer::TokenId(std::string_view token) const {
  for (const AddedToken& added : added_tokens_) {
    if (added.content == token) return added.id;
  }
  return model_->Find(token);
}

void Tokenizer::AppendIds(std::string_view text,
                          std::vector<int32_t>* ids) const {
  ids->reserve(ids->size() + text.size() / 3 + 8);
  if (!raw_tokens_.MayOccurIn(text)) return AppendText(text, ids);
  for (const TextPart& part : raw_tokens_.Split(text)) {
    if (part.id == TextPart::kText) {
      AppendText(part.text, ids);
    } else {
      ids->push_back(part.id);
    }
  }
}

// Text without raw tokens.
void Tokenizer::AppendText(std::string_view text,
                           std::vector<int32_t>* ids) const {
  if (normalized_tokens_.empty()) return model_->Append(text, ids);
  const std::string normalized = model_->Normalize(text);
  for (const TextPart& part : normalized_tokens_.Split(normalized)) {
    if (part.id == TextPart::kText) {
      model_->Append(part.text, ids);
    } else {
      ids->push_back(part.id);
    }
  }
}

Encoding Tokenizer::Encode(std::string_view text,
                           std::optional<std::string_view> pair,
                           const EncodeOptions& options) const {
  const std::vector<TemplatePart>& parts =
      pair ? sequence_template_.pair : sequence_template_.single;
  std::vector<int32_t> first;
  std::vector<int32_t> second;
  AppendIds(text, &first);
  if (pair) AppendIds(*pair, &second);
  const size_t special = SpecialCount(parts);
  if (options.max_length > 0) {
    const auto limit = static_cast<size_t>(options.max_length);
    const size_t room = limit > special ? limit - special : 0;
    TruncateLongestFirst(room, &first, &second);
  }
  Encoding out;
  const size_t count = special + first.size() + second.size();
  const size_t padded =
      std::max<size_t>(count, std::max<int64_t>(options.pad_to, 0));
  out.ids.reserve(padded);
  out.type_ids.reserve(padded);
  for (const TemplatePart& part : parts) {
    switch (part.kind) {
      case TemplatePart::Kind::kSpecial:
        AppendPart(part.ids, part.type_id, &out);
        break;
      case TemplatePart::Kind::kFirst:
        AppendPart(first, part.type_id, &out);
        break;
      case TemplatePart::Kind::kSecond:
        AppendPart(second, part.type_id, &out);
        break;
    }
  }
  out.attention_mask.reserve(padded);
  out.attention_mask.resize(count, 1);
  out.ids.resize(padded, pad_id_);
  out.type_ids.resize(padded, 0);
  out.attention_mask.resize(padded, 0);
  return out;
}

}  // namespace stint
