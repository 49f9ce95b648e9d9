#include <algorithm>
#include <set>

#include "core/base/byte_reader.h"
#include "weights/store/catalog_codec.h"
#include "weights/store/find_shards.h"
#include "weights/store/graph_codec.h"
#include "weights/store/package_file.h"
#include "weights/store/tensor_table.h"

namespace stint {
namespace store {
namespace {

Status CheckHeader(std::span<const uint8_t> file, size_t* sections,
                   uint32_t* found_version) {
  if (file.size() < kHeaderBytes ||
      !std::equal(
          kMagic.begin(), kMagic.end(), file.begin(),
          [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; })) {
    return Damaged("is not a .stint file: " +
                   std::string(file.size() < kHeaderBytes
                                   ? "shorter than a header"
                                   : "wrong first bytes"));
  }
  ByteReader in(file.subspan(kMagic.size()));
  const auto version = in.Get<uint32_t>();
  *found_version = version;
  *sections = in.Get<uint32_t>();
  const auto file_bytes = in.Get<uint64_t>();
  const auto table_checksum = in.Get<uint64_t>();
  if (in.Get<uint64_t>() != Checksum(file.first(kHeaderChecksumAt))) {
    return Damaged("header: checksum does not fit");
  }
  if (version > kVersion) {
    return Unsupported("is of version " + std::to_string(version) +
                       ", this program reads up to " +
                       std::to_string(kVersion));
  }
  if (version == 0) return Damaged("header: version 0");
  if (file_bytes != file.size()) {
    return Damaged("has " + std::to_string(file.size()) +
                   " bytes, its header says " + std::to_string(file_bytes));
  }
  const auto zeros =
      file.subspan(kHeaderChecksumAt + 8, kHeaderBytes - kHeaderChecksumAt - 8);
  if (std::any_of(zeros.begin(), zeros.end(), [](uint8_t b) { return b; })) {
    return Damaged("header: does not end with zeros");
  }
  if (*sections > (file.size() - kHeaderBytes) / kEntryBytes) {
    return Damaged("header: says " + std::to_string(*sections) + " sections");
  }
  if (Checksum(file.subspan(kHeaderBytes, *sections * kEntryBytes)) !=
      table_checksum) {
    return Damaged("section table: checksum does not fit");
  }
  return OkStatus();
}

Status CheckZeros(std::span<const uint8_t> file, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; ++i) {
    if (file[i] != 0) {
      return Damaged("byte " + std::to_string(i) +
                     " between sections is not zero");
    }
  }
  return OkStatus();
}

class PackageReader {
 public:
  PackageReader(std::span<const uint8_t> bytes,
                std::shared_ptr<const MappedFile> file)
      : bytes_(bytes), file_(std::move(file)) {}

  Result<Package> Run() {
    STINT_ASSIGN_OR_RETURN(sections_, ReadSections(bytes_));
    auto table = TensorTable::Read(Bytes(SectionKind::kTensors),
                                   Bytes(SectionKind::kData), file_);
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kTensors, table.status()));
    tensors_ = std::move(table).value();
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kShards, ReadShards()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kGraph, ReadModel()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kAbout, ReadAbout()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kTokenizer, ReadTokenizer()));
    return std::move(package_);
  }

 private:
  static Status InSection(SectionKind kind, const Status& status) {
    return status.ok() ? status
                       : status.Annotate("section '" +
                                         std::string(SectionName(kind)) + "'");
  }

  // An empty one when there is none.
  Section Find(SectionKind kind) const {
    for (const Section& section : sections_) {
      if (section.kind == kind) return section;
    }
    return {kind};
  }
  std::span<const uint8_t> Bytes(SectionKind kind) const {
    const Section section = Find(kind);
    return bytes_.subspan(section.offset, section.bytes);
  }

  Status ReadShards() {
    const Section planes = Find(SectionKind::kPlanes);
    const Section rows = Find(SectionKind::kRows);
    const auto bytes = Bytes(SectionKind::kShards);
    if (bytes.empty()) {
      return planes.bytes + rows.bytes == 0
                 ? OkStatus()
                 : Damaged("is missing, but planes or rows are there");
    }
    const GetTensor get = [this](uint32_t i) { return tensors_.Get(i); };
    auto shards = std::make_shared<ShardFile>();
    STINT_ASSIGN_OR_RETURN(
        shards->catalog,
        DecodeCatalog(bytes, get,
                      {planes.offset, planes.bytes, rows.offset, rows.bytes}));
    shards->bytes = bytes_;
    shards->file = file_;
    package_.shards = std::move(shards);
    return OkStatus();
  }

  Status ReadModel() {
    const auto bytes = Bytes(SectionKind::kGraph);
    ByteReader in(bytes);
    const size_t graph_bytes = in.GetCount();
    if (!in.ok()) return Damaged("is cut short");
    const GetTensor get = [this](uint32_t i) { return tensors_.Get(i); };
    STINT_ASSIGN_OR_RETURN(
        package_.graph,
        DecodeGraph(bytes.subspan(in.position(), graph_bytes), get));
    ByteReader rest(bytes.subspan(in.position() + graph_bytes));
    const size_t count = rest.GetCount(12);
    for (size_t i = 0; i < count; ++i) {
      std::string node = rest.GetText();
      PackedWeights packed;
      packed.layout = rest.GetText();
      packed.parts.resize(rest.GetCount(4));
      for (Tensor& part : packed.parts) {
        STINT_ASSIGN_OR_RETURN(part, get(rest.Get<uint32_t>()));
      }
      package_.packed.emplace(std::move(node), std::move(packed));
    }
    if (!rest.ok() || !rest.AtEnd() || package_.packed.size() != count) {
      return Damaged("packed weights do not fit");
    }
    return CheckPacked();
  }

  // Constants without elements are read only by nodes that have them packed,
  // or are shards.
  Status CheckPacked() const {
    const Graph& graph = *package_.graph;
    std::set<ValueId> shards;
    if (package_.shards != nullptr) {
      STINT_ASSIGN_OR_RETURN(
          shards, FindShards(package_.shards->catalog.layout, graph));
    }
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (package_.packed.contains(node.name)) continue;
      for (ValueId in : node.inputs) {
        if (!in.valid() || !graph.value(in).constant) continue;
        if (shards.contains(in)) continue;
        if (!graph.value(in).constant->has_elements()) {
          return Damaged(Describe(node) + " has no weights");
        }
      }
    }
    for (ValueId out : graph.outputs()) {
      if (graph.value(out).constant &&
          !graph.value(out).constant->has_elements()) {
        return Damaged("an output has no elements");
      }
    }
    return CheckBodies(graph);
  }
  // Weights of bodies are not packed.
  static Status CheckBodies(const Graph& graph) {
    for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
      const Graph& body = graph.subgraph({static_cast<int32_t>(i)});
      for (size_t v = 0; v < body.num_values(); ++v) {
        const auto& constant = body.value({static_cast<int32_t>(v)}).constant;
        if (constant && !constant->has_elements()) {
          return Damaged("a body has no weights");
        }
      }
      STINT_RETURN_IF_ERROR(CheckBodies(body));
    }
    return OkStatus();
  }

  Status ReadAbout() {
    ByteReader in(Bytes(SectionKind::kAbout));
    const auto meaning = in.Get<uint32_t>();
    package_.meaning = static_cast<OutputMeaning>(meaning);
    package_.max_length = in.Get<int64_t>();
    package_.labels.resize(in.GetCount(4));
    for (std::string& label : package_.labels) label = in.GetText();
    if (in.Get<uint8_t>() != 0) {
      Preprocessing p;
      for (float& mean : p.mean) mean = in.Get<float>();
      for (float& std : p.std) std = in.Get<float>();
      p.scale = in.Get<float>();
      p.channel_order =
          in.Get<uint8_t>() == 0 ? ChannelOrder::kRgb : ChannelOrder::kBgr;
      p.size = in.Get<int32_t>();
      package_.preprocessing = p;
    }
    if (!in.ok() || !in.AtEnd() || package_.max_length < 0 ||
        meaning > static_cast<uint32_t>(OutputMeaning::kRegression)) {
      return Damaged("ends or goes wrong at offset " +
                     std::to_string(in.position()));
    }
    return OkStatus();
  }

  Status ReadTokenizer() {
    const auto bytes = Bytes(SectionKind::kTokenizer);
    if (bytes.empty()) return OkStatus();
    ByteReader in(bytes);
    const size_t count = in.GetCount(8);
    for (size_t i = 0; i < count; ++i) {
      std::string name = in.GetText();
      package_.tokenizer_files[std::move(name)] = in.GetText();
    }
    if (!in.ok() || !in.AtEnd()) return Damaged("is cut short");
    STINT_ASSIGN_OR_RETURN(package_.tokenizer,
                           MakeTokenizer(package_.tokenizer_files));
    return OkStatus();
  }

  std::span<const uint8_t> bytes_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<Section> sections_;
  TensorTable tensors_;
  Package package_;
};

}  // namespace

Result<std::vector<Section>> ReadSections(std::span<const uint8_t> file) {
  size_t count = 0;
  uint32_t version = 0;
  STINT_RETURN_IF_ERROR(CheckHeader(file, &count, &version));
  const SectionKind last =
      version == kPlainVersion ? SectionKind::kData : kLastKind;
  ByteReader in(file.subspan(kHeaderBytes, count * kEntryBytes));
  std::vector<Section> sections(count);
  uint64_t end = kHeaderBytes + count * kEntryBytes;
  for (Section& section : sections) {
    const auto kind = in.Get<uint32_t>();
    in.Get<uint32_t>();
    section.kind = static_cast<SectionKind>(kind);
    section.offset = in.Get<uint64_t>();
    section.bytes = in.Get<uint64_t>();
    section.checksum = in.Get<uint64_t>();
    const std::string name =
        "section '" + std::string(SectionName(section.kind)) + "'";
    if (kind == 0 || kind > static_cast<uint32_t>(last)) {
      return Unsupported("has a section of kind " + std::to_string(kind));
    }
    if (section.offset != NextSection(end) || section.offset > file.size() ||
        section.bytes > file.size() - section.offset) {
      return Damaged(name + " lies at " + std::to_string(section.offset) +
                     " with " + std::to_string(section.bytes) +
                     " bytes, which does not fit");
    }
    STINT_RETURN_IF_ERROR(CheckZeros(file, end, section.offset));
    end = section.offset + section.bytes;
    const auto bytes = file.subspan(section.offset, section.bytes);
    if (!HasOwnChecksums(section.kind) && Checksum(bytes) != section.checksum) {
      return Damaged(name + " at " + std::to_string(section.offset) +
                     ": checksum does not fit");
    }
  }
  if (end != file.size()) return Damaged("has bytes after its last section");
  std::set<SectionKind> kinds;
  for (const Section& section : sections) kinds.insert(section.kind);
  for (SectionKind kind : {SectionKind::kGraph, SectionKind::kAbout,
                           SectionKind::kTensors, SectionKind::kData}) {
    if (!kinds.contains(kind)) {
      return Damaged("has no section '" + std::string(SectionName(kind)) + "'");
    }
  }
  if (kinds.size() != sections.size()) return Damaged("has a section twice");
  return sections;
}

}  // namespace store

bool IsPackageFile(const std::string& path) {
  const auto file = MappedFile::Open(path);
  if (!file.ok()) return false;
  const auto bytes = (*file)->bytes();
  return bytes.size() >= store::kMagic.size() &&
         std::equal(
             store::kMagic.begin(), store::kMagic.end(), bytes.begin(),
             [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

Result<Package> ReadPackageBytes(std::span<const uint8_t> bytes,
                                 std::shared_ptr<const MappedFile> file) {
  return store::PackageReader(bytes, std::move(file)).Run();
}

Result<Package> ReadPackage(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  auto package = ReadPackageBytes(file->bytes(), file);
  if (!package.ok()) return package.status().Annotate(path);
  return package;
}

}  // namespace stint
