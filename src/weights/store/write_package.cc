#include "core/base/byte_writer.h"
#include "weights/store/elastic/catalog_codec.h"
#include "weights/store/graph_codec.h"
#include "weights/store/package_file.h"
#include "weights/store/package_sections.h"
#include "weights/store/range_codec.h"
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
    out.PutText(content.text());
  }
  return out.Take();
}

}  // namespace

Status AddSections(const Package& package, const ShardCatalog* catalog,
                   SectionWriter* sections) {
  TensorTableWriter tensors;
  STINT_RETURN_IF_ERROR(
      sections->Add(SectionKind::kGraph, EncodeModel(package, &tensors)));
  STINT_RETURN_IF_ERROR(
      sections->Add(SectionKind::kAbout, EncodeAbout(package)));
  if (!package.tokenizer_files.empty()) {
    STINT_RETURN_IF_ERROR(sections->Add(
        SectionKind::kTokenizer, EncodeTokenizer(package.tokenizer_files)));
  }
  if (const std::string ranges = EncodeRanges(*package.graph);
      !ranges.empty()) {
    STINT_RETURN_IF_ERROR(sections->Add(SectionKind::kRanges, ranges));
  }
  if (catalog != nullptr) {
    const PutTensor put = [&](const Tensor& tensor) {
      return tensors.Add(tensor);
    };
    STINT_RETURN_IF_ERROR(
        sections->Add(SectionKind::kShards, EncodeCatalog(*catalog, put)));
  }
  STINT_RETURN_IF_ERROR(sections->Add(SectionKind::kTensors, tensors.Encode()));
  STINT_RETURN_IF_ERROR(sections->Begin(SectionKind::kData));
  for (std::string_view part : tensors.Data()) {
    STINT_RETURN_IF_ERROR(sections->Append(part));
  }
  sections->End();
  return OkStatus();
}

}  // namespace store

Result<int64_t> WritePackage(const Package& package, const std::string& path) {
  STINT_ASSIGN_OR_RETURN(auto sections, store::SectionWriter::Create(path));
  STINT_RETURN_IF_ERROR(store::AddSections(package, nullptr, &sections));
  const bool has_ranges = !store::EncodeRanges(*package.graph).empty();
  return sections.Finish(has_ranges ? store::kVersion : store::kPlainVersion);
}

}  // namespace stint
