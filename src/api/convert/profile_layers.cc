#include "api/convert/profile_layers.h"

#include <algorithm>

#include "engine/device/machine_cache.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/run/zero_inputs.h"
#include "weights/store/elastic/cost_section.h"
#include "weights/store/package_file.h"

namespace stint {
namespace {

// Tokens: at most twice the one before, so that all lengths between lie near a
// measured one. Longest first: it decides about memory.
constexpr int64_t kLengths[] = {512, 256, 128, 64, 32, 16, 8};
// Machines are busy for a while: the quickest counts.
constexpr int kRehearsals = 3;

std::vector<int64_t> LengthsOf(const Package& package) {
  const int64_t most = package.max_length > 0 ? package.max_length : 512;
  std::vector<int64_t> lengths;
  for (int64_t length : kLengths) {
    if (length <= most) lengths.push_back(length);
  }
  return lengths;
}

// Of each length one set of inputs; one alone where lengths change nothing.
Result<std::vector<std::vector<Value>>> InputsOf(const Package& package) {
  std::vector<std::vector<Value>> inputs;
  for (int64_t length : LengthsOf(package)) {
    NominalSizes sizes;
    sizes.sequence = length;
    STINT_ASSIGN_OR_RETURN(auto zeros, ZeroInputs(*package.graph, sizes));
    if (!inputs.empty() && SizeOf(zeros) == SizeOf(inputs.back())) continue;
    inputs.push_back(std::move(zeros));
  }
  return inputs;
}

// Sessions of it know nothing of their machine.
Package WithoutCosts(Package package) {
  auto shards = std::make_shared<ShardFile>(*package.shards);
  shards->costs.clear();
  package.shards = std::move(shards);
  return package;
}

}  // namespace

Result<ProfileReport> ProfileLayers(
    const std::string& from, const std::string& to, int threads,
    const std::function<void(int64_t done, int64_t total)>& progress) {
  STINT_ASSIGN_OR_RETURN(Package read, ReadPackage(from));
  if (read.shards == nullptr) {
    return InvalidArgument(from + ": is no elastic file");
  }
  const Package package = WithoutCosts(std::move(read));
  const KernelSite site = {DetectIsa(), threads};
  ThreadPool pool(threads);
  STINT_ASSIGN_OR_RETURN(const auto inputs, InputsOf(package));
  const auto total = static_cast<int64_t>(inputs.size()) * kRehearsals;
  ModelCosts costs;
  for (int64_t done = 0; done < total; ++done) {
    if (progress) progress(done, total);
    ElasticRunOptions options;
    options.budget.latency = std::chrono::hours(1);  // so that times matter
    STINT_ASSIGN_OR_RETURN(
        const auto runner,
        ElasticRunner::Create(&package, site, &pool, options));
    STINT_RETURN_IF_ERROR(
        runner->Prepare(inputs[static_cast<size_t>(done) % inputs.size()]));
    for (const ModelCosts::Point& point : runner->costs().points()) {
      costs.Add(point);
    }
  }
  // What this process took says little about the memory of others.
  STINT_ASSIGN_OR_RETURN(
      const int64_t bytes,
      AddCosts(from, to,
               {MachineKey::Here(site.isa, threads).ToString(),
                costs.WithoutMemory().ToText()}));
  return ProfileReport{bytes, static_cast<int64_t>(costs.points().size())};
}

}  // namespace stint
