#pragma once
// Runs one plan on the codes of an elastic file: its part of the model bound to
// kernels, weights in memory or streamed behind the computation. Another plan
// takes its place all or nothing.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/open_reader.h"
#include "engine/elastic/costs/layer_costs.h"
#include "engine/elastic/elastic_program.h"
#include "engine/elastic/input_shapes.h"
#include "engine/elastic/table_rows.h"
#include "engine/plan/plan.h"
#include "weights/package/package.h"

namespace stint {

// Puts a reader of its own before one of the file.
using WrapReader = std::function<std::unique_ptr<BlockReader>(
    std::unique_ptr<BlockReader> reader)>;

struct ExecutableOptions {
  StorageRate storage;  // imitated
  bool io_uring = true;
  WrapReader wrap_reader;  // for tests of storage that fails; may be null
  int64_t row_cache_bytes = 1 << 20;  // of all tables
  // Resident memory of the process, which work between runs keeps to as well;
  // 0: no limit.
  int64_t memory_bytes = 0;
};

// What programs are warmed up with, and what that takes.
struct WarmShapes {
  InputShapes shapes;
  // What a warm-up added to the process at most, pages of the program included
  // that it gave back afterwards.
  int64_t warm_up_bytes = 0;
  int64_t activation_bytes = 0;  // the most since
};

// A plan and the problem it solves, restricted to the plan's sub-network.
struct Deployment {
  PlanProblem problem;
  Plan plan;
};

// Used by one thread at a time.
class ElasticExecutable : private StageGate {
 public:
  // The package has shards and stays.
  static Result<std::unique_ptr<ElasticExecutable>> Create(
      const Package* package, const KernelSite& site, ThreadPool* pool,
      const ExecutableOptions& options);
  ~ElasticExecutable() override = default;
  ElasticExecutable(const ElasticExecutable&) = delete;
  ElasticExecutable& operator=(const ElasticExecutable&) = delete;

  // From now on; 0: no limit.
  void set_memory_bytes(int64_t bytes);

  // The program is the whole model's until the next run.
  Status BindWhole() { return Bind(-1); }
  // Binds the whole model to inputs of these shapes and runs it once on weights
  // of zeros, so that all memory of a run but weights is touched.
  // kBudgetInfeasible when the activations alone exceed the memory.
  Status WarmUp(std::span<const Value> inputs);
  // After a warm-up: touches what runs touch, and nothing else, so that memory
  // can be measured.
  Status TouchRun(std::span<const Value> inputs);
  // A warm-up, then how long each layer computes, by bits.
  Result<MeasuredLayers> Rehearse(std::span<const Value> inputs);

  // Runs go by this plan from now on. When it returns an error they go by the
  // plan before, whatever had to be given up on the way: what is missing of
  // that is put back now or, if storage fails, before the next run. With
  // `read_in_run` the next run reads what is pinned, behind its computation.
  Status Deploy(Deployment next, bool read_in_run = false);
  // Nothing before the first Deploy.
  const Deployment& deployed() const { return deployed_; }
  bool has_plan() const { return !deployed_.plan.layers.empty(); }

  // What can still be taken within the limit.
  int64_t RoomBytes() const;
  // Not so much is left that whatever comes next fits.
  bool IsShortOfRoom() const;
  // Binds the program to inputs of these shapes, as the next run would; where
  // memory is short, weights are given back first. kBudgetInfeasible when the
  // activations exceed the memory.
  Status BindShapes(std::span<const Value> inputs);
  // Gives back what is bound; the next run binds it again.
  void DropShapes();
  // Whether a run needs nothing but what is there.
  bool IsReadyFor(std::span<const Value> inputs) const;
  // Whether a run by the plan fits beside all else that is there.
  bool HasRoomToRun() const;
  // Gives all weights back, pinned or not; the next run reads them again.
  Status DropWeights();
  // Gives the ring back until the next run.
  void DropRing();
  // From now on; gives back what was bound to other shapes.
  void set_warm(WarmShapes warm);
  const WarmShapes& warm() const { return warm_; }
  // Pinned weights and the ring.
  int64_t weight_bytes() const { return weight_bytes_; }

  struct Times {
    double run_ns = 0;
    double wait_ns = 0;  // of it, for weights
  };
  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits, Times* times);

  // Of the sub-network that is bound; changes with plans.
  GraphRunner* runner() { return &program_->runner(); }
  // Number in the catalog of each stage of the whole model.
  const std::vector<int>& layers() const { return layers_; }
  const CodedLayers& coded_layers() const { return program_->layers(); }
  const std::vector<std::unique_ptr<TableRows>>& tables() const {
    return tables_;
  }
  StreamCounts stream_counts() const { return stream_->counts(); }
  const std::string& io_note() const { return io_note_; }
  // Told of each step of every run from now on; may be null.
  void set_observer(StepObserver* observer);
  void set_null_kernels(bool on);

  // With a memory limit, gives back what the program used up to here.
  void EndPhase() const;

 private:
  ElasticExecutable(const Package* package, const KernelSite& site,
                    ThreadPool* pool, const ExecutableOptions& options);
  Status Open();
  Status OpenTables();
  Result<OpenedReader> OpenStorage(int depth);
  // Errors of reading name the file.
  Status OfFile(const Status& status) const;

  // The program of a sub-network, -1: the whole. After an error there is one,
  // whichever.
  Status Bind(int sub_model);
  Result<std::unique_ptr<ElasticProgram>> MakeProgram(int sub_model);
  // Binds the program to warm_.shapes and touches what its runs touch.
  Status WarmUpProgram(ElasticProgram* program);
  Status BindWithinLimit(std::span<const Value> inputs);
  Status RunOnZeros(std::span<const Value> inputs, ElasticProgram* program);
  void SetRehearsing(bool on, ElasticProgram* program);
  // Makes program, stream and bits those of a plan, whatever they are of.
  Status Place(const Deployment& target, bool read_in_run);
  Status ReadWeights(const Deployment& target);
  Status SetStream(StreamSetup setup);

  // StageGate.
  Status Enter(int stage) override;
  void Leave(int stage) override;
  void StartReading();

  const Package* const package_;
  const KernelSite site_;
  ThreadPool* const pool_;
  ExecutableOptions options_;
  std::shared_ptr<SlowDevice> device_;
  std::string io_note_;
  std::vector<std::unique_ptr<TableRows>> tables_;
  CodedTable coded_tables_;
  std::unique_ptr<ElasticProgram> program_;
  int sub_model_ = -1;       // of program_
  std::vector<int> layers_;  // by stage of the whole
  WarmShapes warm_;
  int64_t rebind_bytes_ = 0;  // most that other shapes took to be bound
  // The same besides activations, or what is assumed.
  int64_t bind_bytes_ = 320 << 10;
  StepObserver* observer_ = nullptr;
  bool null_kernels_ = false;
  ReservedPages zeros_;
  std::unique_ptr<UnitStream> stream_;
  StreamSetup stream_setup_;  // what stream_ was last set to
  int64_t weight_bytes_ = 0;  // of that

  Deployment deployed_;
  bool placed_ = false;  // program, stream and bits are those of deployed_

  // Of the run in progress.
  bool rehearsing_ = false;
  bool reading_ = false;
  RunLimits limits_;
  int stage_ = -1;  // entered last
  int left_ = 0;    // nodes of it
};

}  // namespace stint
