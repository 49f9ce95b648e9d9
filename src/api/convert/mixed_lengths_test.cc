// Texts of all lengths, asked one after the other through the public API, stay
// within a budget of memory.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/base/random.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/program_pages.h"
#include "core/testing/foreign_heap.h"
#include "stint/convert.h"
#include "stint/session.h"

namespace stint {
namespace {

// Of the repository.
constexpr char kModel[] = STINT_TEST_FIXTURES "/../../models/sst2-minilm.stint";

// For each budget; STINT_FIELD_ROWS asks for more.
int Rows() {
  const char* rows = std::getenv("STINT_FIELD_ROWS");
  return rows == nullptr ? 40 : std::atoi(rows);
}

// Most texts are short, some have more tokens than the model takes.
std::string SomeText(Random* random) {
  static constexpr std::string_view kWords[] = {
      "a",    "film", "gripping", "of", "not",  ",",
      "the",  "dull", "charming", "is", "with", "unexceptionally",
      "slow", "but",  "heart",    "in"};
  const double share = random->NextDouble();
  const int words = 1 + static_cast<int>(300 * share * share * share * share);
  std::string text;
  for (int i = 0; i < words; ++i) {
    text += kWords[static_cast<size_t>(random->NextInt(std::size(kWords)))];
    text += ' ';
  }
  return text;
}

class MixedLengths : public testing::TestWithParam<double> {};

// Of the file's 18.7 MB: activations of the longest texts alone take 3 MB.
TEST_P(MixedLengths, StayWithinTheBudget) {
  if (kForeignHeap) {
    GTEST_SKIP() << "needs the memory of a program without sanitizers";
  }
  std::ofstream("/proc/self/clear_refs") << 5;
  if (PeakResidentBytes() > ResidentBytes() + 1'000'000) {
    GTEST_SKIP() << "needs a kernel that lets a process forget its peak";
  }
  KeepHeapSmall();
  const int64_t budget =
      ResidentBytes() + static_cast<int64_t>(GetParam() * 1e6);
  SessionOptions options;
  options.budget.memory_bytes = budget;
  auto session = Session::Create(Model::Open(kModel).value(),
                                 Runtime::Create().value(), options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  Random random(20261119);
  for (int row = 0; row < Rows(); ++row) {
    const std::string text = SomeText(&random);
    const auto outputs = session->RunText(text, std::nullopt, {});
    ASSERT_TRUE(outputs.ok())
        << "row " << row << ": " << outputs.status().message();
    ASSERT_LE(PeakResidentBytes(), budget)
        << "row " << row << " of " << text.size() << " bytes";
  }
  EXPECT_EQ(session->Counts().over_memory, 0);
  EXPECT_EQ(session->Counts().runs, Rows());
}

INSTANTIATE_TEST_SUITE_P(, MixedLengths, testing::Values(8, 9, 12, 18));

}  // namespace
}  // namespace stint
