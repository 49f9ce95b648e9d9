#include <algorithm>
#include <set>

#include "core/base/byte_reader.h"
#include "weights/store/elastic/catalog_codec.h"
#include "weights/store/elastic/cost_section.h"
#include "weights/store/elastic/find_shards.h"
#include "weights/store/graph_codec.h"
#include "weights/store/package_file.h"
#include "weights/store/range_codec.h"
#include "weights/store/tensor_table.h"

namespace stint {
namespace store {
namespace {

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
    ReleaseSections();
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kShards, ReadShards()));
    STINT_RETURN_IF_ERROR(
        InSection(SectionKind::kImportance, ReadImportance()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kChecks, ReadChecks()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kCosts, ReadCosts()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kGraph, ReadModel()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kRanges, ReadRanges()));
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kAbout, ReadAbout()));
    ReleaseSections();
    STINT_RETURN_IF_ERROR(InSection(SectionKind::kTokenizer, ReadTokenizer()));
    ReleaseSections();
    package_.file = file_;
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

  // What has been read is not needed again, or only parts of it: the memory
  // of one step is not there in the next.
  void ReleaseSections() const {
    if (file_ == nullptr) return;
    for (const Section& section : sections_) {
      file_->Release(bytes_.subspan(section.offset, section.bytes));
    }
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
    shards->catalog.file = file_;
    shards->bytes = bytes_;
    shards->file = file_;
    shards_ = std::move(shards);
    package_.shards = shards_;
    return OkStatus();
  }

  Status ReadImportance() {
    const auto bytes = Bytes(SectionKind::kImportance);
    if (bytes.empty()) return OkStatus();
    if (shards_ == nullptr) return Damaged("is there, but no shards are");
    return DecodeImportance(bytes, &shards_->catalog);
  }

  Status ReadChecks() {
    const auto bytes = Bytes(SectionKind::kChecks);
    if (bytes.empty()) return OkStatus();
    if (shards_ == nullptr ||
        shards_->catalog.importance == ImportanceKind::kNone) {
      return Damaged("is there, but no importance is");
    }
    return DecodeChecks(bytes, &shards_->catalog);
  }

  Status ReadCosts() {
    const auto bytes = Bytes(SectionKind::kCosts);
    if (bytes.empty()) return OkStatus();
    if (shards_ == nullptr) return Damaged("is there, but no shards are");
    STINT_ASSIGN_OR_RETURN(shards_->costs, DecodeCosts(bytes));
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

  Status ReadRanges() {
    const auto bytes = Bytes(SectionKind::kRanges);
    if (bytes.empty()) return OkStatus();
    return DecodeRanges(bytes, package_.graph.get());
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
      package_.tokenizer_files[std::move(name)] = {in.GetTextView(), file_};
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
  std::shared_ptr<ShardFile> shards_;  // the package's, still to be completed
  Package package_;
};

}  // namespace

}  // namespace store

bool IsPackageFile(const std::string& path) {
  const auto file = MappedFile::OpenSparse(path);
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
  STINT_ASSIGN_OR_RETURN(auto file, MappedFile::OpenSparse(path));
  auto package = ReadPackageBytes(file->bytes(), file);
  if (!package.ok()) return package.status().Annotate(path);
  return package;
}

}  // namespace stint
