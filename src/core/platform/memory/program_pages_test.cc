#include "core/platform/memory/program_pages.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/platform/memory/memory.h"
#include "core/testing/foreign_heap.h"

namespace stint {
namespace {

// Long enough to be a good part of what is resident of the program.
constexpr size_t kTableBytes = 4 << 20;
struct Table {
  unsigned char bytes[kTableBytes] = {1};
};
const Table kTable;

int64_t Sum() {
  int64_t sum = 0;
  for (size_t i = 0; i < kTableBytes; i += 4096) {
    sum += reinterpret_cast<const volatile unsigned char&>(kTable.bytes[i]);
  }
  return sum;
}

TEST(ProgramPages, ReleasedConstantsAreNotResidentAndComeBack) {
  const int64_t sum = Sum();
  for (int i = 0; i < 2; ++i) {
    const int64_t before = ResidentBytes();
    ReleaseProgramPages();
    EXPECT_LT(ResidentBytes(), before - static_cast<int64_t>(kTableBytes) / 2);
    EXPECT_EQ(Sum(), sum);
  }
}

TEST(ProgramPages, ATouchedPageComesWithFewNeighbors) {
  constexpr int kTouched = 32;
  constexpr size_t kApart = kTableBytes / kTouched;
  ReleaseProgramPages();
  ResidentBytes();  // its own code
  const int64_t before = ResidentBytes();
  int64_t sum = 0;
  for (int i = 0; i < kTouched; ++i) {
    sum += reinterpret_cast<const volatile unsigned char&>(
        kTable.bytes[static_cast<size_t>(i) * kApart + kApart / 2]);
  }
  EXPECT_LT(ResidentBytes(), before + kTouched * (24 << 10));
  EXPECT_EQ(sum, 0);
}

TEST(ProgramPages, VariablesKeepTheirValues) {
  static int counter = 0;
  counter = 7;
  ReleaseProgramPages();
  EXPECT_EQ(counter, 7);
}

TEST(Heap, FreedBlocksGoBack) {
  if (kForeignHeap) GTEST_SKIP() << "the heap is the sanitizer's";
  KeepHeapSmall();
  const int64_t before = ResidentBytes();
  {
    std::vector<std::vector<char>> blocks;
    for (int i = 0; i < 1000; ++i) blocks.emplace_back(1000 + 60 * i, 'x');
    EXPECT_GT(ResidentBytes(), before + (16 << 20));
  }
  ReleaseFreeHeap();
  EXPECT_LT(ResidentBytes(), before + (4 << 20));
}

}  // namespace
}  // namespace stint
