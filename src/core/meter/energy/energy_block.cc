#include "core/meter/energy/energy_block.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/platform/clock.h"

namespace stint {
namespace {

// 50 samples a second: what a sensor can tell, and no load of its own.
constexpr std::chrono::milliseconds kSampleInterval(20);

struct Sample {
  int64_t ns;
  double watts;
};

// Trapezoids between samples; before the first and after the last the power is
// theirs. The error is that of a mean of scattered samples.
EnergyReading Integrate(const std::vector<Sample>& samples, int64_t start_ns,
                        int64_t end_ns) {
  EnergyReading reading;
  reading.seconds = static_cast<double>(end_ns - start_ns) * 1e-9;
  reading.samples = static_cast<int64_t>(samples.size());
  Sample last{start_ns, samples.front().watts};
  const auto add = [&](const Sample& next) {
    reading.joules += static_cast<double>(next.ns - last.ns) * 1e-9 *
                      (last.watts + next.watts) / 2;
    last = next;
  };
  for (const Sample& sample : samples) add(sample);
  add({end_ns, samples.back().watts});
  const double mean = reading.watts();
  double squares = 0;
  for (const Sample& sample : samples) {
    squares += (sample.watts - mean) * (sample.watts - mean);
  }
  const auto count = static_cast<double>(samples.size());
  reading.joules_error = std::sqrt(squares) / count * reading.seconds;
  return reading;
}

}  // namespace

class EnergyBlock::Sampler {
 public:
  Sampler(EnergySource* source, double watts, int64_t now_ns)
      : source_(source), samples_{{now_ns, watts}}, thread_([this] {
          Loop();
        }) {}
  ~Sampler() { End(); }

  Result<std::vector<Sample>> Finish() {
    End();
    if (!status_.ok()) return status_;
    return samples_;
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kSampleInterval, [this] { return done_; })) {
      lock.unlock();
      const auto watts = source_->Read();
      const int64_t now_ns = NowNs();
      lock.lock();
      if (!watts.ok()) {
        status_ = watts.status();
        return;
      }
      samples_.push_back({now_ns, *watts});
    }
  }

  void End() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  EnergySource* source_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  Status status_;
  std::vector<Sample> samples_;
  std::thread thread_;  // last: it uses the others
};

EnergyBlock::EnergyBlock(EnergySource* source, double joules, int64_t start_ns)
    : source_(source), joules_(joules), start_ns_(start_ns) {}
EnergyBlock::~EnergyBlock() = default;
EnergyBlock::EnergyBlock(EnergyBlock&&) noexcept = default;

Result<EnergyBlock> EnergyBlock::Start(EnergySource* source) {
  STINT_ASSIGN_OR_RETURN(const double value, source->Read());
  EnergyBlock block(source, value, NowNs());
  if (source->grade() != EnergyGrade::kCounter) {
    block.sampler_ = std::make_unique<Sampler>(source, value, block.start_ns_);
  }
  return block;
}

Result<EnergyReading> EnergyBlock::Stop() {
  const int64_t end_ns = NowNs();
  if (sampler_ != nullptr) {
    STINT_ASSIGN_OR_RETURN(const auto samples, sampler_->Finish());
    // One that was under way when the block ended.
    std::vector<Sample> inside;
    for (const Sample& sample : samples) {
      if (sample.ns <= end_ns) inside.push_back(sample);
    }
    return Integrate(inside, start_ns_, end_ns);
  }
  STINT_ASSIGN_OR_RETURN(const double joules, source_->Read());
  EnergyReading reading;
  reading.seconds = static_cast<double>(end_ns - start_ns_) * 1e-9;
  reading.joules = joules - joules_;
  // Each edge is late by up to one refresh: two uniform errors.
  reading.joules_error =
      reading.watts() * source_->refresh_seconds() / std::sqrt(6.0);
  return reading;
}

}  // namespace stint
