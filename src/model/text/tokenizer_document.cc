#include "model/text/tokenizer_document.h"

#include "model/text/json_node.h"
#include "model/text/plain_elements.h"

namespace stint {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

// Depths of the parser's events: keys of the root, of "model", and what is
// inside model.vocab and model.merges.
constexpr int kRootDepth = 1;
constexpr int kModelDepth = 2;
constexpr int kElementDepth = 3;

// Moves the elements of model.vocab and model.merges from the parser into the
// document's lists.
class ElementTaker {
 public:
  ElementTaker(TokenizerDocument* document, const std::string& file)
      : document_(document), file_(file) {}

  const Status& status() const { return status_; }

  // The parser's callback: whether it is to keep the value.
  bool operator()(int depth, Event event, json& value) {
    if (event == Event::key) return OnKey(depth, value);
    if (depth != kElementDepth || root_key_ != "model") return true;
    if (model_key_ == "vocab" && has_token_) return OnTokenValue(event, value);
    if (model_key_ == "merges") return OnMerge(event, value);
    return true;
  }

 private:
  bool OnKey(int depth, const json& value) {
    const std::string& key = value.get_ref<const std::string&>();
    if (depth == kRootDepth) {
      root_key_ = key;
      model_key_.clear();
    } else if (depth == kModelDepth) {
      model_key_ = key;
      has_token_ = false;
    } else if (depth == kElementDepth && root_key_ == "model" &&
               model_key_ == "vocab") {
      token_ = key;
      has_token_ = true;
      return false;
    }
    return true;
  }

  bool OnTokenValue(Event event, const json& value) {
    if (event != Event::value && event != Event::object_start &&
        event != Event::array_start) {
      return true;
    }
    has_token_ = false;
    if (!value.is_number_integer() || value < 0 || value >= INT32_MAX) {
      const char* found = event == Event::object_start  ? "object"
                          : event == Event::array_start ? "array"
                                                        : value.type_name();
      Fail("model.vocab: token " + Quoted(token_) +
           ": expected an id from 0 to 2^31 - 2, found " + found);
    } else {
      document_->vocabulary.Add(token_, value.get<int32_t>());
    }
    return true;
  }

  bool OnMerge(Event event, const json& value) {
    if (event == Event::array_start || event == Event::object_start) {
      return true;
    }
    std::string_view left;
    std::string_view right;
    if (value.is_string()) {
      const std::string_view text = value.get_ref<const std::string&>();
      const size_t blank = text.find(' ');
      left = text.substr(0, blank);
      if (blank != text.npos) right = text.substr(blank + 1);
    } else if (value.is_array() && value.size() == 2 && value[0].is_string() &&
               value[1].is_string()) {
      left = value[0].get_ref<const std::string&>();
      right = value[1].get_ref<const std::string&>();
    }
    if (left.empty() || right.empty()) {
      Fail("model.merges[" + std::to_string(document_->merges.size()) +
           "]: expected two tokens, found " + value.type_name());
    } else {
      document_->merges.emplace_back(Store(left), Store(right));
    }
    return false;
  }

  // Copies `part`, a piece of the file without its escapes, so that the text
  // never outgrows the file.
  std::string_view Store(std::string_view part) {
    char* place = document_->text.get() + used_;
    part.copy(place, part.size());
    used_ += part.size();
    return {place, part.size()};
  }

  void Fail(const std::string& message) {
    if (status_.ok()) status_ = Damaged(file_ + ": " + message);
  }

  TokenizerDocument* document_;
  const std::string& file_;
  Status status_;
  std::string root_key_;
  std::string model_key_;
  std::string token_;
  bool has_token_ = false;
  size_t used_ = 0;
};

}  // namespace

Result<TokenizerDocument> ParseTokenizerDocument(std::string_view content,
                                                 const std::string& file) {
  TokenizerDocument document;
  document.text = std::make_unique_for_overwrite<char[]>(content.size() + 1);
  std::string rest;
  if (TakePlainElements(content, &document, &rest)) {
    document.settings = json::parse(rest, nullptr, /*allow_exceptions=*/false);
    if (!document.settings.is_discarded()) return document;
    document.vocabulary = {};
    document.merges.clear();
  }
  ElementTaker taker(&document, file);
  // The parser copies its callback; the taker must stay one.
  document.settings = json::parse(
      content,
      [&taker](int depth, Event event, json& value) {
        return taker(depth, event, value);
      },
      /*allow_exceptions=*/false);
  if (document.settings.is_discarded()) {
    STINT_ASSIGN_OR_RETURN(document.settings, ParseJson(content, file));
    return Damaged(file + ": expected an object, found nothing");
  }
  STINT_RETURN_IF_ERROR(taker.status());
  return document;
}

}  // namespace stint
