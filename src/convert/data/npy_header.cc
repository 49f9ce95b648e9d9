#include "convert/data/npy_header.h"

#include <charconv>

namespace stint {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 64;  // NumPy's own limit
// Elements begin at a multiple of this, as NumPy aligns them.
constexpr size_t kHeaderAlignment = 64;

// Reads the dict literal; every method skips blanks first and returns false
// when something else stands there.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  bool Accept(std::string_view token) {
    SkipBlanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  bool ReadString(std::string_view* value) {
    SkipBlanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return false;
    *value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool ReadBool(bool* value) {
    *value = Accept("True");
    return *value || Accept("False");
  }
  bool ReadInt(int64_t* value) {
    SkipBlanks();
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, *value);
    if (error != std::errc()) return false;
    text_.remove_prefix(stop - text_.data());
    return true;
  }
  bool ReadShape(Shape* shape) {
    if (!Accept("(")) return false;
    while (!Accept(")")) {
      int64_t dim = 0;
      if (!ReadInt(&dim) || dim < 0 || shape->size() == kMaxRank) return false;
      shape->push_back(dim);
      if (!Accept(",")) return Accept(")");
    }
    return true;
  }
  bool AtEnd() {
    SkipBlanks();
    return text_.empty();
  }

 private:
  void SkipBlanks() {
    const size_t begin = text_.find_first_not_of(" \t\n\r");
    text_.remove_prefix(begin == std::string_view::npos ? text_.size() : begin);
  }
  std::string_view text_;
};

// "<f4" into its parts.
Status ParseDescr(std::string_view descr, NpyHeader* header) {
  const std::string shown = "element type '" + std::string(descr) + "'";
  if (descr.size() < 3 ||
      std::string_view("<>|=").find(descr[0]) == std::string_view::npos) {
    return Unsupported(shown + " is not one of NumPy's plain types");
  }
  header->big_endian = descr[0] == '>';
  header->kind = descr[1];
  const char* end = descr.data() + descr.size();
  const auto [stop, error] =
      std::from_chars(descr.data() + 2, end, header->item_size);
  if (error != std::errc() || stop != end || header->item_size < 0) {
    return Unsupported(shown + " has no size");
  }
  return OkStatus();
}

// One "key: value" of the dict; each key may come once.
bool ReadEntry(LiteralReader* reader, std::string_view* descr,
               NpyHeader* header, int* seen) {
  std::string_view key;
  if (!reader->ReadString(&key) || !reader->Accept(":")) return false;
  int bit = 0;
  bool ok = false;
  if (key == "descr") {
    bit = 1;
    ok = reader->ReadString(descr);
  } else if (key == "fortran_order") {
    bit = 2;
    ok = reader->ReadBool(&header->fortran_order);
  } else if (key == "shape") {
    bit = 4;
    ok = reader->ReadShape(&header->shape);
  }
  ok = ok && (*seen & bit) == 0;
  *seen |= bit;
  return ok;
}

Status ParseDict(std::string_view text, NpyHeader* header) {
  const Status malformed =
      Damaged("npy header is not a dict of descr, fortran_order and shape: " +
              std::string(text.substr(0, 80)));
  if (text.find("'descr': [") != std::string_view::npos) {
    return Unsupported("structured npy element type");
  }
  LiteralReader reader(text);
  if (!reader.Accept("{")) return malformed;
  std::string_view descr;
  int seen = 0;
  while (!reader.Accept("}")) {
    if (!ReadEntry(&reader, &descr, header, &seen)) return malformed;
    if (reader.Accept(",")) continue;
    if (!reader.Accept("}")) return malformed;
    break;
  }
  if (seen != 7 || !reader.AtEnd()) return malformed;
  return ParseDescr(descr, header);
}

uint32_t LittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

Result<NpyHeader> ParseNpyHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 2) {
    return Damaged("not an npy file: expected \\x93NUMPY at offset 0");
  }
  const int version = static_cast<uint8_t>(bytes[kMagic.size()]);
  if (version < 1 || version > 3) {
    return Unsupported("npy version " + std::to_string(version) +
                       ", known are 1 to 3");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + length_bytes;
  if (bytes.size() < begin) return Damaged("npy header is cut off");
  const size_t length =
      LittleEndian(bytes.substr(kMagic.size() + 2, length_bytes));
  if (bytes.size() - begin < length) {
    return Damaged("npy header of " + std::to_string(length) +
                   " bytes is cut off after " +
                   std::to_string(bytes.size() - begin));
  }
  NpyHeader header;
  STINT_RETURN_IF_ERROR(ParseDict(bytes.substr(begin, length), &header));
  header.data_offset = begin + length;
  return header;
}

std::string FormatNpyHeader(std::string_view descr, const Shape& shape) {
  std::string dict =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, ";
  dict += "'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) {
    dict += std::to_string(shape[i]);
    if (i + 1 < shape.size()) dict += ", ";
  }
  dict += shape.size() == 1 ? ",), }" : "), }";
  const size_t prefix = kMagic.size() + 4;
  while ((prefix + dict.size() + 1) % kHeaderAlignment != 0) dict += ' ';
  dict += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace stint
