#include "engine/elastic/mapped_program.h"

#include "weights/store/elastic/shard_reader.h"

namespace stint {

// Rows straight from the mapped file.
class MappedProgram::MappedRows : public CodedRows {
 public:
  MappedRows(const ShardFile& shards, int table)
      : shards_(shards), table_(table) {}
  int64_t rows() const override {
    return shards_.catalog.layout.tables[table_].rows;
  }
  int64_t columns() const override {
    return shards_.catalog.layout.tables[table_].columns;
  }
  Status Read(std::span<const int64_t> numbers, float* to) override {
    for (int64_t row : numbers) {
      STINT_RETURN_IF_ERROR(ReadRow(shards_, table_, row, to));
      to += columns();
    }
    return OkStatus();
  }

 private:
  const ShardFile& shards_;
  const int table_;
};

MappedProgram::MappedProgram(const Package* package, const KernelSite& site,
                             ThreadPool* pool)
    : package_(package), shards_(*package->shards), site_(site), pool_(pool) {}

Result<std::unique_ptr<MappedProgram>> MappedProgram::Open(
    const Package* package, const KernelSite& site, ThreadPool* pool) {
  if (package->shards == nullptr) {
    return InvalidArgument("the model is not an elastic file");
  }
  std::unique_ptr<MappedProgram> program(
      new MappedProgram(package, site, pool));
  STINT_RETURN_IF_ERROR(program->OpenTables());
  STINT_RETURN_IF_ERROR(program->Use(nullptr));
  STINT_RETURN_IF_ERROR(program->CheckPlanes());
  return program;
}

Status MappedProgram::OpenTables() {
  const ShardCatalog& catalog = shards_.catalog;
  for (size_t t = 0; t < catalog.tables.size(); ++t) {
    tables_.push_back(
        std::make_unique<MappedRows>(shards_, static_cast<int>(t)));
    for (const std::string& node : catalog.layout.tables[t].nodes) {
      coded_tables_[node].rows = tables_.back().get();
    }
  }
  return OkStatus();
}

Status MappedProgram::CheckPlanes() const {
  for (const CatalogLayer& layer : shards_.catalog.layers) {
    for (const auto& group : layer.groups) {
      for (const ReadUnit& unit : group) {
        STINT_RETURN_IF_ERROR(CheckUnit(
            unit, shards_.bytes.subspan(static_cast<size_t>(unit.offset),
                                        static_cast<size_t>(unit.bytes))));
      }
    }
  }
  return OkStatus();
}

Status MappedProgram::Use(const SubNetwork* network) {
  program_ = nullptr;
  STINT_ASSIGN_OR_RETURN(
      program_, ElasticProgram::Create(*package_, network, coded_tables_, site_,
                                       pool_, &gate_));
  SetBits(shards_.catalog.bits);
  return OkStatus();
}

void MappedProgram::SetBits(const std::vector<std::vector<int>>& bits) {
  CodedLayers& layers = program_->layers();
  layers.SetBits(bits);
  for (int s = 0; s < layers.stages(); ++s) {
    layers.SetPlanes(s, [&](int unit) {
      return shards_.bytes.data() +
             layers.units()[static_cast<size_t>(unit)].offset;
    });
  }
}

void MappedProgram::SetBits(int bits) {
  std::vector<std::vector<int>> all;
  for (int s = 0; s < layers().stages(); ++s) {
    all.emplace_back(static_cast<size_t>(layers().slices(s)), bits);
  }
  SetBits(all);
}

Result<Tensor> MappedProgram::Answer(const std::vector<Value>& inputs) {
  STINT_RETURN_IF_ERROR(program_->runner().RunInto(inputs, &outputs_));
  if (outputs_.empty() || !outputs_[0].is_tensor() ||
      outputs_[0].tensor().dtype() != DType::kFloat32) {
    return Unsupported("the model's first output is not a float32 tensor");
  }
  return outputs_[0].tensor();
}

}  // namespace stint
