// A session in the field: budgets, lengths, storage, memory and neighbors
// change at random, and after each event answers are right, memory is within
// the budget and the session goes on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "core/base/checksum.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/program_pages.h"
#include "core/platform/temporary_folder.h"
#include "core/testing/foreign_heap.h"
#include "core/testing/unreliable_reader.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/plan/plan_answers.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

// Sanitizers compute a hundred times as long: there models are smaller, and
// inputs shorter.
constexpr int64_t kWidth = kForeignHeap ? 64 : 256;
constexpr int64_t kLengths[] = {1, 2, 3, 5, 8, 17, 40, 64, 100, 250, 512};
constexpr size_t kLengthsUsed = kForeignHeap ? 8 : std::size(kLengths);
// Of `make test`; with STINT_FIELD_SECONDS the time alone decides.
constexpr int kEvents = 10'000;
constexpr double kSeconds = 60;
constexpr int kLeastRight = kForeignHeap ? 20 : 500;
constexpr int kLeastShared = kForeignHeap ? 1 : 100;
// Sanitizers keep what was freed.
constexpr int64_t kHeldBackBytes = kForeignHeap ? 512 << 20 : 0;
// Of a process that has ended its sessions: pages of the heap that are free.
constexpr int64_t kLeftBytes = 4 << 20;

double Seconds() {
  const char* seconds = std::getenv("STINT_FIELD_SECONDS");
  return seconds == nullptr ? kSeconds : std::atof(seconds);
}

// The same events every time, unless STINT_FIELD_SEED asks for others.
uint64_t Seed() {
  const char* seed = std::getenv("STINT_FIELD_SEED");
  return seed == nullptr ? 20261118 : std::strtoull(seed, nullptr, 10);
}

bool Enough(int event, int64_t start_ns, double share) {
  const bool counted = std::getenv("STINT_FIELD_SECONDS") == nullptr;
  return (counted && event >= share * kEvents) ||
         MsSince(start_ns) >= share * Seconds() * 1e3;
}

Value Ids(int64_t length) {
  Tensor ids = Tensor::Allocate(DType::kInt64, {1, length}).value();
  for (int64_t i = 0; i < length; ++i) ids.data<int64_t>()[i] = i * 37 % 100;
  return ids;
}

uint64_t HashOf(const Value& value) {
  const Tensor& tensor = value.tensor();
  return Checksum({static_cast<const uint8_t*>(tensor.raw()),
                   static_cast<size_t>(tensor.bytes())});
}

// What was answered by which plan, to be compared when memory no longer counts;
// all its own memory is touched before.
class Log {
 public:
  Log() {
    answers_.resize(200'000);
    text_.assign(32 << 20, 'x');
    text_.clear();
  }
  void Add(size_t input, uint64_t hash, const SavedPlan& plan) {
    const std::string text = ToText(AnsweringPlan(plan));
    const size_t known = text_.find(text);
    if (count_ == answers_.size()) return;
    if (known == std::string::npos) {
      if (text_.size() + text.size() > text_.capacity()) return;
      text_ += text;
    }
    const size_t at =
        known == std::string::npos ? text_.size() - text.size() : known;
    answers_[count_++] = {input, hash, at, text.size()};
  }
  struct Answer {
    size_t input = 0;
    uint64_t hash = 0;
    size_t at = 0;
    size_t size = 0;
  };
  std::span<const Answer> answers() const { return {answers_.data(), count_}; }
  std::string PlanOf(const Answer& answer) const {
    return text_.substr(answer.at, answer.size);
  }

 private:
  std::vector<Answer> answers_;
  size_t count_ = 0;
  std::string text_;
};

int64_t OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

// Adds to steps what a busy machine would, and cancels runs on the way.
class Neighbor : public StepObserver {
 public:
  void OnStep(const Node&, int64_t, int64_t end_ns) override {
    if (--steps_left == 0) cancel = true;
    while (NowNs() < end_ns + delay_ns) {
    }
  }
  int64_t delay_ns = 0;
  int steps_left = 0;  // until the run is cancelled; 0: it is not
  std::atomic<bool> cancel{false};
};

class ElasticField : public testing::Test {
 protected:
  void SetUp() override {
    Package model = MakeElasticModel(kWidth, 0);
    model.sub_networks = {{{0}, 2, 0}, {{0}, 1, 0}};
    path_ = WriteElastic(model, SmallShards());
    AddImportance(path_);
    package_ = ReadPackage(path_).value();
    const std::string pressure = system_.path() + "/proc/pressure/memory";
    ASSERT_TRUE(MakeDirectories(DirectoryOf(pressure)).ok());
    for (int64_t length : kLengths) inputs_.push_back(Ids(length));
    KeepHeapSmall();
  }

  ElasticRunOptions Options() const {
    ElasticRunOptions options;
    options.system_root = system_.path();
    options.shares = shares_;
    options.wrap_reader = [this](std::unique_ptr<BlockReader> reader) {
      return std::make_unique<UnreliableReader>(std::move(reader), faults_);
    };
    return options;
  }

  std::unique_ptr<ElasticRunner> Open(const ElasticRunOptions& options) {
    auto runner =
        ElasticRunner::Create(&package_, {DetectIsa(), 2}, &pool_, options);
    EXPECT_TRUE(runner.ok()) << runner.status().message();
    return std::move(runner).value();
  }

  // Resident memory of the process without weights, and weights, for 64 ids.
  void Measure() {
    ElasticRunOptions options;
    options.budget.memory_bytes = int64_t{1} << 40;
    const auto runner = Open(options);
    std::vector<Value> outputs;
    ASSERT_TRUE(runner->RunInto({&inputs_[7], 1}, &outputs, {}).ok());
    fixed_ = runner->Report().fixed_bytes + kHeldBackBytes;
    weights_ = runner->Report().preload_bytes;
    ASSERT_GT(weights_, kForeignHeap ? 20'000 : 500'000);
  }

  bool Chance(double share) { return random_.NextDouble() < share; }
  size_t Length() {
    // Short texts are frequent, long ones come now and then.
    const double share = random_.NextDouble();
    return static_cast<size_t>(share * share *
                               static_cast<double>(kLengthsUsed));
  }

  Budget SomeBudget() {
    Budget budget;
    if (Chance(0.8)) {
      const double share = 0.1 + 1.3 * random_.NextDouble();
      budget.memory_bytes =
          fixed_ + static_cast<int64_t>(share * static_cast<double>(weights_)) +
          (Chance(0.3) ? 4'000'000 : 0);
    }
    if (Chance(0.5)) {
      budget.latency = std::chrono::microseconds(100 + random_.NextInt(20'000));
    }
    budget.best_effort = Chance(0.5);
    return budget;
  }

  void SetPressure(bool on) {
    std::ofstream(system_.path() + "/proc/pressure/memory")
        << (on ? "some avg10=50.00 avg60=1\n" : "some avg10=0.00 avg60=1\n");
  }

  void Change(ElasticRunner* runner) {
    switch (random_.NextInt(9)) {
      case 0:
      case 1:
      case 2: {
        const Budget budget = SomeBudget();
        asked_bytes_ = budget.memory_bytes;
        const StatusCode code = runner->SetBudget(budget).code();
        EXPECT_TRUE(code == StatusCode::kOk ||
                    code == StatusCode::kBudgetInfeasible ||
                    code == StatusCode::kIo);
        break;
      }
      case 3:
        neighbor_.delay_ns = Chance(0.3) ? random_.NextInt(300'000) : 0;
        break;
      case 4:
        SetPressure(Chance(0.5));
        break;
      case 5:
        faults_->stall_ns = Chance(0.3) ? random_.NextInt(2'000'000) : 0;
        break;
      case 6:
        faults_->failing_share = Chance(0.5) ? 0.2 * random_.NextDouble() : 0;
        break;
      case 7:
        faults_->fails = Chance(0.2);
        break;
      default:
        if (shares_ != nullptr) ToggleSecond();
    }
  }

  void ToggleSecond() {
    if (second_ != nullptr) {
      second_ = nullptr;
      return;
    }
    second_ = Open(Options());
    std::vector<Value> outputs;
    (void)second_->RunInto({&inputs_[Length()], 1}, &outputs, {});
  }

  // One run; its answer goes to the log.
  void Run(ElasticRunner* runner) {
    const size_t input = Length();
    std::vector<Value> outputs;
    RunLimits limits;
    limits.cancel = &neighbor_.cancel;
    const bool cancelled = Chance(0.05);
    neighbor_.cancel = cancelled && Chance(0.2);
    neighbor_.steps_left = cancelled ? 1 + random_.NextInt(8) : 0;
    runner->Observe(&neighbor_);
    const Status status =
        runner->RunInto({&inputs_[input], 1}, &outputs, limits);
    last_ = "length " + std::to_string(kLengths[input]) + " " +
            std::string(status.message());
    ++by_code_[static_cast<size_t>(status.code())];
    const bool faulty = faults_->fails || faults_->failing_share > 0;
    switch (status.code()) {
      case StatusCode::kOk:
        log_.Add(input, HashOf(outputs[0]), runner->Save());
        break;
      case StatusCode::kCancelled:
        EXPECT_TRUE(cancelled);
        break;
      case StatusCode::kIo:
        EXPECT_TRUE(faulty) << status.message();
        break;
      default:
        EXPECT_EQ(status.code(), StatusCode::kBudgetInfeasible)
            << status.message();
    }
  }

  // Every answer is that of a new session by the same plan.
  void CompareAnswers() {
    std::string last;
    std::unique_ptr<ElasticRunner> runner;
    std::vector<Log::Answer> answers(log_.answers().begin(),
                                     log_.answers().end());
    std::sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) {
      return std::tie(a.at, a.input) < std::tie(b.at, b.input);
    });
    std::vector<Value> outputs;
    for (size_t i = 0; i < answers.size(); ++i) {
      const bool again = i > 0 && answers[i].at == answers[i - 1].at;
      if (!again) {
        ElasticRunOptions options;
        options.saved = ParseSavedPlan(log_.PlanOf(answers[i])).value();
        runner = Open(options);
      }
      if (!again || answers[i].input != answers[i - 1].input) {
        const Status status =
            runner->RunInto({&inputs_[answers[i].input], 1}, &outputs, {});
        ASSERT_TRUE(status.ok()) << status.message();
      }
      ASSERT_EQ(HashOf(outputs[0]), answers[i].hash)
          << "length " << kLengths[answers[i].input] << "\n"
          << log_.PlanOf(answers[i]);
    }
  }

  ThreadPool pool_{2};
  std::string path_;
  Package package_;
  const TemporaryFolder system_ = TemporaryFolder::Make().value();
  std::vector<Value> inputs_;
  std::shared_ptr<StorageFaults> faults_ = std::make_shared<StorageFaults>();
  std::shared_ptr<MemoryShares> shares_;
  std::unique_ptr<ElasticRunner> second_;
  Neighbor neighbor_;
  Log log_;
  Random random_{Seed()};
  int64_t fixed_ = 0;
  int64_t weights_ = 0;
  std::array<int, 32> by_code_{};
  int64_t asked_bytes_ = 0;  // by the last change of the budget
  std::string last_;         // what the last run met
};

TEST_F(ElasticField, RandomEventsLeaveAnswersAndMemoryRight) {
  Measure();
  const int64_t shared = fixed_ + 8'000'000 + 3 * weights_;
  shares_ = std::make_shared<MemoryShares>(shared);
  const int64_t files = OpenFiles();
  const int64_t resident = ResidentBytes();
  const int64_t start = NowNs();
  auto runner = Open(Options());
  int over = 0;
  int event = 0;
  for (; !Enough(event, start, 1); ++event) {
    const bool alone = second_ == nullptr;
    std::ofstream("/proc/self/clear_refs") << 5;
    const int64_t before = asked_bytes_ = runner->budget().memory_bytes;
    if (Chance(0.3)) Change(runner.get());
    Run(runner.get());
    if (second_ != nullptr && Chance(0.5)) Run(second_.get());
    if (HasFailure() && over == 0) break;
    // While a budget begins or is refused, memory of the larger is in use. The
    // second session knows of the shared one alone.
    const int64_t asked = before == 0 || asked_bytes_ == 0
                              ? shared
                              : std::max(before, asked_bytes_);
    const int64_t limit =
        alone && second_ == nullptr ? std::min(shared, asked) : shared;
    if (!kForeignHeap && PeakResidentBytes() > limit) {
      ++over;
      ADD_FAILURE() << "event " << event << ": " << PeakResidentBytes()
                    << " bytes of " << limit << ", " << last_ << ", "
                    << runner->Report().fixed_bytes << " fixed, "
                    << runner->Report().preload_bytes << " pinned, "
                    << runner->Report().ring_bytes << " ring";
      if (over > 5) break;
    }
  }
  const int right = by_code_[static_cast<size_t>(StatusCode::kOk)];
  RecordProperty("events", event);
  RecordProperty("right", right);
  EXPECT_GT(right, std::max(kLeastRight, event / 2));
  EXPECT_GT(by_code_[static_cast<size_t>(StatusCode::kCancelled)], event / 100);
  second_ = nullptr;
  runner = nullptr;
  shares_ = nullptr;
  EXPECT_EQ(OpenFiles(), files);
  if (!kForeignHeap) {
    ReleaseFreeHeap();
    EXPECT_LE(ResidentBytes(), resident + kLeftBytes);
  }
  CompareAnswers();
}

TEST_F(ElasticField, SessionsThatComeAndGoShareTheirMemory) {
  Measure();
  const int64_t budget = fixed_ + 4'000'000 + 2 * weights_;
  shares_ = std::make_shared<MemoryShares>(budget);
  const int64_t start = NowNs();
  const auto runner = Open(Options());
  for (int event = 0; !Enough(event, start, 0.25); ++event) {
    std::ofstream("/proc/self/clear_refs") << 5;
    if (Chance(0.2)) ToggleSecond();
    Run(runner.get());
    if (second_ != nullptr) Run(second_.get());
    if (HasFailure()) break;
    if (!kForeignHeap) {
      ASSERT_LE(PeakResidentBytes(), budget) << "event " << event;
    }
  }
  EXPECT_GT(by_code_[static_cast<size_t>(StatusCode::kOk)], kLeastShared);
  second_ = nullptr;
  shares_ = nullptr;
  CompareAnswers();
}

// As sessions of one runtime are used: each by a thread of its own, one at a
// time.
TEST_F(ElasticField, TwoThreadsTakeTurns) {
  std::mutex turn;
  std::atomic<int> wrong{0};
  const auto drive = [&](uint64_t seed) {
    Random random(seed);
    std::unique_ptr<ElasticRunner> runner;
    for (int event = 0; event < 150; ++event) {
      const std::lock_guard<std::mutex> lock(turn);
      if (runner == nullptr) runner = Open(Options());
      if (random.NextInt(4) == 0) {
        Budget budget;
        budget.latency = std::chrono::microseconds(200 + random.NextInt(5'000));
        budget.best_effort = true;
        if (!runner->SetBudget(budget).ok()) ++wrong;
      }
      std::vector<Value> outputs;
      const auto& input = inputs_[static_cast<size_t>(random.NextInt(8))];
      if (!runner->RunInto({&input, 1}, &outputs, {}).ok()) ++wrong;
    }
    const std::lock_guard<std::mutex> lock(turn);
    runner = nullptr;
  };
  std::thread other(drive, 1);
  drive(2);
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace stint
