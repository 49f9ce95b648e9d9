// How well reading hides behind computing: one plan streamed, the same bits
// from memory, and the same bytes only read, one after the other in every
// round. Usage: overlap MODEL.stint PLAN [TOKENS [ROUNDS]]; PLAN is what `stint
// run
// --memory 40MB --plan PLAN` saved. Exit code 1 when a run takes longer than
// 1.2 times the longer of computing and reading, and the first layer's reading.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/base/checked_math.h"
#include "core/io/open_reader.h"
#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/reserved_pages.h"
#include "engine/plan/plan_answers.h"
#include "stint/session.h"

namespace {

using stint::NowNs;
using stint::Result;
using stint::Session;
using stint::Status;
using stint::Value;

constexpr double kAllowed = 1.2;
constexpr int kThreads = 2;
constexpr int kDepth = 8;
constexpr int64_t kRequestBytes = 1 << 20;
constexpr int64_t kTimeoutNs = 10'000'000'000;

Result<Session> Open(const std::string& model, const std::string& plan) {
  STINT_ASSIGN_OR_RETURN(auto opened, stint::Model::Open(model));
  STINT_ASSIGN_OR_RETURN(auto runtime, stint::Runtime::Create({kThreads, ""}));
  stint::SessionOptions options;
  options.plan = plan;
  return Session::Create(std::move(opened), std::move(runtime), options);
}

// Ids and masks of a text: ones.
Result<std::vector<Value>> MakeInputs(const stint::Model& model,
                                      int64_t tokens) {
  std::vector<Value> inputs;
  for (const stint::ValueInfo& info : model.inputs()) {
    STINT_ASSIGN_OR_RETURN(
        stint::Tensor tensor,
        stint::Tensor::Allocate(stint::DType::kInt64, {1, tokens}));
    std::fill_n(tensor.data<int64_t>(), tensor.size(), 1);
    if (info.dtype != stint::DType::kInt64) {
      return stint::Unsupported("input '" + info.name + "' is not of ids");
    }
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

// Reads `bytes` bytes of a file as a run does, without one.
class Reading {
 public:
  static Result<Reading> Open(const std::string& path, int64_t bytes) {
    Reading reading;
    reading.bytes_ = stint::RoundUp(bytes, stint::kBlockBytes);
    STINT_ASSIGN_OR_RETURN(
        reading.memory_,
        stint::ReservedPages::Reserve(int64_t{kDepth} * kRequestBytes));
    STINT_ASSIGN_OR_RETURN(auto opened,
                           stint::OpenReader(path, {kDepth, true, nullptr}));
    reading.reader_ = std::move(opened.reader);
    reading.reader_->Register(
        {reading.memory_.data(), size_t{kDepth} * kRequestBytes});
    return reading;
  }

  Status Read() {
    int64_t next = 0;
    uint64_t started = 0;
    for (int64_t done = 0; done < bytes_;) {
      while (next < bytes_ && started < kDepth) {
        STINT_RETURN_IF_ERROR(Start(started++, &next));
      }
      STINT_ASSIGN_OR_RETURN(const auto read, reader_->Wait(kTimeoutNs));
      if (!read.has_value()) return stint::IoError("storage does not answer");
      STINT_RETURN_IF_ERROR(read->status);
      done += sizes_[read->tag];
      if (next < bytes_) STINT_RETURN_IF_ERROR(Start(read->tag, &next));
    }
    return stint::OkStatus();
  }

 private:
  Status Start(uint64_t tag, int64_t* next) {
    sizes_[tag] = std::min(kRequestBytes, bytes_ - *next);
    uint8_t* to = memory_.data() + static_cast<int64_t>(tag) * kRequestBytes;
    const int64_t offset = *next;
    *next += sizes_[tag];
    return reader_->Start(
        {offset, {to, static_cast<size_t>(sizes_[tag])}, tag});
  }

  int64_t bytes_ = 0;
  int64_t sizes_[kDepth] = {};
  stint::ReservedPages memory_;
  std::unique_ptr<stint::BlockReader> reader_;
};

struct Times {
  std::vector<double> memory_ms;
  std::vector<double> read_ms;
  std::vector<double> streamed_ms;
};

template <typename Run>
Status Time(const Run& run, std::vector<double>* times) {
  const int64_t start = NowNs();
  STINT_RETURN_IF_ERROR(run());
  times->push_back(stint::MsSince(start));
  return stint::OkStatus();
}

// `wait_ms`: for weights, per run.
int Print(const Times& times, const stint::PlanReport& plan, double wait_ms) {
  const double memory = stint::Median(times.memory_ms);
  const double read = stint::Median(times.read_ms);
  const double streamed = stint::Median(times.streamed_ms);
  const double fill = read * static_cast<double>(plan.plan[0].stream_bytes) /
                      static_cast<double>(plan.stream_bytes);
  const double longer = std::max(memory, read);
  std::printf(
      "%.2f bits, %.1f MB pinned, %.1f MB streamed through %.1f MB\n"
      "from memory %.2f ms, only read %.2f ms (%.2f GB/s), streamed %.2f ms "
      "(p95 %.2f), %.2f of them waited\n"
      "less the first layer's %.2f ms: %.3f of the longer, limit %.1f\n",
      plan.mean_bits, static_cast<double>(plan.preload_bytes) * 1e-6,
      static_cast<double>(plan.stream_bytes) * 1e-6,
      static_cast<double>(plan.ring_bytes) * 1e-6, memory, read,
      static_cast<double>(plan.stream_bytes) * 1e-6 / read, streamed,
      stint::Quantile(times.streamed_ms, 0.95), wait_ms, fill,
      (streamed - fill) / longer, kAllowed);
  return streamed - fill <= kAllowed * longer ? 0 : 1;
}

Result<int> Measure(const std::string& model, const std::string& plan,
                    int64_t tokens, int rounds) {
  STINT_ASSIGN_OR_RETURN(const std::string text, stint::ReadFile(plan));
  STINT_ASSIGN_OR_RETURN(const auto saved, stint::ParseSavedPlan(text));
  STINT_ASSIGN_OR_RETURN(Session streamed, Open(model, text));
  STINT_ASSIGN_OR_RETURN(
      Session resident,
      Open(model, stint::ToText(stint::AnsweringPlan(saved))));
  STINT_ASSIGN_OR_RETURN(const auto inputs,
                         MakeInputs(streamed.model(), tokens));
  STINT_ASSIGN_OR_RETURN(const auto report, streamed.Plan(inputs));
  STINT_ASSIGN_OR_RETURN(Reading reading,
                         Reading::Open(model, report.stream_bytes));
  std::vector<Value> outputs;
  Times times;
  for (int round = -2; round < rounds; ++round) {
    if (round == 0) times = {};  // what came before was warming up
    STINT_RETURN_IF_ERROR(Time(
        [&] { return resident.RunInto(inputs, &outputs); }, &times.memory_ms));
    STINT_RETURN_IF_ERROR(Time([&] { return reading.Read(); }, &times.read_ms));
    STINT_RETURN_IF_ERROR(
        Time([&] { return streamed.RunInto(inputs, &outputs); },
             &times.streamed_ms));
  }
  const stint::BudgetCounts counts = streamed.Counts();
  return Print(times, report,
               counts.wait_ms / static_cast<double>(counts.runs));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: overlap MODEL PLAN [TOKENS [ROUNDS]]\n");
    return 2;
  }
  const auto result =
      Measure(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 128,
              argc > 4 ? std::atoi(argv[4]) : 40);
  if (result.ok()) return *result;
  std::fprintf(stderr, "overlap: %s\n", result.status().message().c_str());
  return 1;
}
