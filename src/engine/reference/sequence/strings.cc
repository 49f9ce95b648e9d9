#include "engine/reference/sequence/strings.h"

#include <utf8proc.h>

#include <algorithm>
#include <set>

#include "core/tensor/broadcast.h"
#include "engine/reference/map_elements.h"

namespace stint {
namespace {

// Bytes that are not UTF-8 stay as they are.
std::string MapCase(const std::string& text,
                    utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  std::string out;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  for (utf8proc_ssize_t at = 0; at < size;) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t used =
        utf8proc_iterate(bytes + at, size - at, &code);
    if (used <= 0) {
      out += text[static_cast<size_t>(at++)];
      continue;
    }
    utf8proc_uint8_t encoded[4];
    const utf8proc_ssize_t count = utf8proc_encode_char(map(code), encoded);
    out.append(reinterpret_cast<const char*>(encoded),
               static_cast<size_t>(count));
    at += used;
  }
  return out;
}

}  // namespace

Status Eval(const StringNormalizer& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const auto fold = [&](const std::string& text) {
    return op.is_case_sensitive ? text : MapCase(text, utf8proc_tolower);
  };
  std::set<std::string> stops;
  for (const std::string& word : op.stopwords) stops.insert(fold(word));
  std::vector<std::string> kept;
  for (int64_t i = 0; i < x.size(); ++i) {
    const std::string& text = x.data<std::string>()[i];
    if (stops.contains(fold(text))) continue;
    kept.push_back(
        op.case_change_action == "LOWER"   ? MapCase(text, utf8proc_tolower)
        : op.case_change_action == "UPPER" ? MapCase(text, utf8proc_toupper)
                                           : text);
  }
  if (kept.empty()) kept.emplace_back();
  Shape shape = x.shape();
  shape.back() = static_cast<int64_t>(kept.size());
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kString, shape));
  std::move(kept.begin(), kept.end(), ctx.out(0).data<std::string>());
  return OkStatus();
}

Status Eval(const StringConcat&, EvalContext& ctx) {
  Tensor& out = ctx.out(0);
  const BroadcastWalk walk(out.shape(),
                           {&ctx.in(0).shape(), &ctx.in(1).shape()});
  MapStrings(ctx.in(0), ctx.in(1), walk.run_length(), walk,
             [&](int64_t at, const std::string& a, const std::string& b) {
               out.data<std::string>()[at] = a + b;
             });
  return OkStatus();
}

namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Parts between runs of white space; what is left after the last split keeps
// the white space behind it.
std::vector<std::string> SplitAtSpace(const std::string& text,
                                      int64_t max_splits) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (true) {
    while (at < text.size() && IsSpace(text[at])) ++at;
    if (at == text.size()) return parts;
    if (max_splits >= 0 && static_cast<int64_t>(parts.size()) == max_splits) {
      parts.push_back(text.substr(at));
      return parts;
    }
    const size_t begin = at;
    while (at < text.size() && !IsSpace(text[at])) ++at;
    parts.push_back(text.substr(begin, at - begin));
  }
}

std::vector<std::string> SplitAt(const std::string& text,
                                 const std::string& delimiter,
                                 int64_t max_splits) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (max_splits < 0 || static_cast<int64_t>(parts.size()) < max_splits) {
    const size_t end = text.find(delimiter, begin);
    if (end == std::string::npos) break;
    parts.push_back(text.substr(begin, end - begin));
    begin = end + delimiter.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

Status Eval(const StringSplit& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  std::vector<std::vector<std::string>> rows;
  size_t most = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    const std::string& text = x.data<std::string>()[i];
    rows.push_back(op.delimiter.empty()
                       ? SplitAtSpace(text, op.maxsplit)
                       : SplitAt(text, op.delimiter, op.maxsplit));
    most = std::max(most, rows.back().size());
  }
  Shape shape = x.shape();
  shape.push_back(static_cast<int64_t>(most));
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kString, shape));
  STINT_RETURN_IF_ERROR(ctx.Allocate(1, DType::kInt64, x.shape()));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (ctx.num_outputs() > 1) {
      ctx.out(1).data<int64_t>()[i] = static_cast<int64_t>(rows[i].size());
    }
    std::move(rows[i].begin(), rows[i].end(),
              ctx.out(0).data<std::string>() + i * most);
  }
  return OkStatus();
}

}  // namespace stint
