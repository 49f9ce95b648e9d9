#pragma once
// A network of an elastic file with all planes in the mapped file, whose shards
// take any bits: what measurements ask, outside any budget.

#include <memory>
#include <vector>

#include "engine/bind/coded_weights.h"
#include "engine/elastic/elastic_program.h"

namespace stint {

class MappedProgram {
 public:
  // The package is an elastic file and stays, as does the pool. kDamaged when a
  // plane is not what was written. The whole network is in use.
  static Result<std::unique_ptr<MappedProgram>> Open(const Package* package,
                                                     const KernelSite& site,
                                                     ThreadPool* pool);

  // Another network, null: the whole; all shards have all bits.
  Status Use(const SubNetwork* network);
  const CodedLayers& layers() const { return program_->layers(); }

  // By stage and slice of the network in use.
  void SetBits(const std::vector<std::vector<int>>& bits);
  // All bits, or as many for all.
  void SetBits(int bits);

  // The first output; good until the next call.
  Result<Tensor> Answer(const std::vector<Value>& inputs);

 private:
  class MappedRows;
  // Everything is in the mapped file all the time.
  class OpenGate : public StageGate {
   public:
    Status Enter(int) override { return OkStatus(); }
    void Leave(int) override {}
  };

  MappedProgram(const Package* package, const KernelSite& site,
                ThreadPool* pool);
  Status OpenTables();
  Status CheckPlanes() const;

  const Package* const package_;
  const ShardFile& shards_;
  const KernelSite site_;
  ThreadPool* const pool_;
  OpenGate gate_;
  std::vector<std::unique_ptr<CodedRows>> tables_;
  CodedTable coded_tables_;
  std::unique_ptr<ElasticProgram> program_;
  std::vector<Value> outputs_;
};

}  // namespace stint
