#pragma once
// From bit planes to int8 values in the order in which products read them: the
// table of decoders, best first, the reference last. What each is handed is one
// strip, 16 outputs of a block (core/tensor/bit_planes.h has the order of
// bits).

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "core/tensor/bit_planes.h"

namespace stint {

struct StripCodes {
  const uint64_t* planes[kPlaneMaxBits];  // the strip's words; `bits` of them
  int bits;                               // kPlaneMinBits to kPlaneMaxBits
  const int8_t* values;                   // [2^bits]
  int64_t inputs;

  int64_t words() const {
    return (inputs + kPlaneWordInputs - 1) / kPlaneWordInputs;
  }
};

// Where the 64 values of each word go: words `first` and on of a panel whose
// words stand `word_bytes` apart, `run_words` of them, and such runs
// `run_bytes` apart.
struct StripWords {
  int8_t* data;
  int64_t word_bytes;
  int64_t run_words = INT64_MAX;
  int64_t run_bytes = 0;
  int64_t first = 0;

  int8_t* At(int64_t word) const {
    const int64_t at = first + word;
    return data + at / run_words * run_bytes + at % run_words * word_bytes;
  }
  // Words from `word` on to the end of its run.
  int64_t RunFrom(int64_t word) const {
    return run_words - (first + word) % run_words;
  }
};

struct CodedStrip;
struct GemmS8Block;
struct OutlierBlock;
struct RowColumns;

struct CodeDecoder {
  const char* name;
  Isa isa;
  bool byte_permutes;  // needs HasBytePermutes() besides
  // Writes the values of all words, 0 past the last input, and adds the sum of
  // each output's values to sums[16].
  void (*decode)(const StripCodes& codes, const StripWords& to, int32_t* sums);
  // Up to so many rows are multiplied by values in registers; 0: none. `block`
  // has plain rows of A and the columns of one strip, but no B.
  int few_rows = 0;
  void (*multiply_few)(const GemmS8Block& block,
                       const CodedStrip& strip) = nullptr;
  // Outliers by columns of A (outliers.h); null: row by row.
  void (*transpose)(const RowColumns& rows) = nullptr;
  void (*add_outliers)(const OutlierBlock& block) = nullptr;
};

std::span<const CodeDecoder> CodeDecoderTable();

bool CanRun(const CodeDecoder& decoder, Isa cap);

// The best row that runs on this machine up to level `cap`.
const CodeDecoder& PickCodeDecoder(Isa cap);

}  // namespace stint
