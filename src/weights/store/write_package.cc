
#include "core/base/byte_writer.h"
#include "weights/store/graph_codec.h"
#include "weights/store/package_file.h"
#include "weights/store/tensor_table.h"

namespace stint {
namespace store {
namespace {

// The graph and the packed weights of its nodes.
std::string EncodeModel(const Package& package, TensorTableWriter* tensors) {
  const PutTensor put = [&](const Tensor& tensor) {
    return tensors->Add(tensor);
  };
  ByteWriter out;
  out.PutText(EncodeGraph(*package.graph, put));
  out.PutCount(package.packed.size());
  for (const auto& [node, packed] : package.packed) {
    out.PutText(node);
    out.PutText(packed.layout);
    out.PutCount(packed.parts.size());
    for (const Tensor& part : packed.parts) out.Put(put(part));
  }
  return out.Take();
}

std::string EncodeAbout(const Package& package) {
  ByteWriter out;
  out.Put(static_cast<uint32_t>(package.meaning));
  out.Put(package.max_length);
  out.PutCount(package.labels.size());
  for (const std::string& label : package.labels) out.PutText(label);
  out.Put(static_cast<uint8_t>(package.preprocessing.has_value()));
  if (!package.preprocessing) return out.Take();
  const Preprocessing& p = *package.preprocessing;
  for (float mean : p.mean) out.Put(mean);
  for (float std : p.std) out.Put(std);
  out.Put(p.scale);
  out.Put(static_cast<uint8_t>(p.channel_order));
  out.Put(static_cast<int32_t>(p.size));
  return out.Take();
}

std::string EncodeTokenizer(const TokenizerFiles& files) {
  ByteWriter out;
  out.PutCount(files.size());
  for (const auto& [name, content] : files) {
    out.PutText(name);
    out.PutText(content);
  }
  return out.Take();
}

struct Piece {
  SectionKind kind;
  std::string content;  // empty for data
};

std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Header and section table; the data section is the last.
std::string EncodeHeader(const std::vector<Piece>& pieces,
                         uint64_t data_bytes) {
  ByteWriter table;
  uint64_t offset = NextSection(kHeaderBytes + pieces.size() * kEntryBytes);
  uint64_t end = offset;
  for (const Piece& piece : pieces) {
    const bool is_data = piece.kind == SectionKind::kData;
    const uint64_t bytes = is_data ? data_bytes : piece.content.size();
    table.Put(static_cast<uint32_t>(piece.kind));
    table.Put(uint32_t{0});
    table.Put(offset);
    table.Put(bytes);
    table.Put(is_data ? 0 : Checksum(BytesOf(piece.content)));
    end = offset + bytes;
    offset = NextSection(end);
  }
  ByteWriter header;
  for (char c : kMagic) header.Put(c);
  header.Put(kVersion);
  header.PutCount(pieces.size());
  header.Put(end);
  header.Put(Checksum(BytesOf(table.bytes())));
  header.Put(Checksum(BytesOf(header.bytes())));
  header.PadTo(kHeaderBytes);
  std::string bytes = header.Take() + table.bytes();
  bytes.resize(NextSection(bytes.size()));
  return bytes;
}

}  // namespace
}  // namespace store

Result<int64_t> WritePackage(const Package& package, const std::string& path) {
  using store::SectionKind;
  store::TensorTableWriter tensors;
  std::vector<store::Piece> pieces;
  pieces.push_back(
      {SectionKind::kGraph, store::EncodeModel(package, &tensors)});
  pieces.push_back({SectionKind::kAbout, store::EncodeAbout(package)});
  if (!package.tokenizer_files.empty()) {
    pieces.push_back({SectionKind::kTokenizer,
                      store::EncodeTokenizer(package.tokenizer_files)});
  }
  pieces.push_back({SectionKind::kTensors, tensors.Encode()});
  pieces.push_back({SectionKind::kData, ""});
  const std::string header = store::EncodeHeader(pieces, tensors.data_bytes());
  std::vector<std::string_view> parts = {header};
  for (store::Piece& piece : pieces) {
    if (piece.kind == SectionKind::kData) break;
    piece.content.resize(store::NextSection(piece.content.size()));
    parts.push_back(piece.content);
  }
  for (std::string_view part : tensors.Data()) parts.push_back(part);
  STINT_RETURN_IF_ERROR(WriteFileAtomically(path, parts));
  int64_t bytes = 0;
  for (std::string_view part : parts)
    bytes += static_cast<int64_t>(part.size());
  return bytes;
}

}  // namespace stint
