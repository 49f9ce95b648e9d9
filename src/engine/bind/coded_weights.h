#pragma once
// Weights that are not in memory all the time: codes that come and go with a
// run, rows of a table that stays on storage. Kernels take them from here.

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "kernels/gemm_codes/coded_matrix.h"
#include "stint/status.h"

namespace stint {

// The weights [n,k] of one linear node or convolution. Used by the thread that
// runs.
class CodedWeights {
 public:
  virtual ~CodedWeights() = default;

  virtual int64_t n() const = 0;
  virtual int64_t k() const = 0;
  // One per output, and how many outliers there are; both stay the same.
  virtual std::span<const float> scales() const = 0;
  virtual int64_t outliers() const = 0;

  // The weights, valid until Done; waits for those that are being read.
  virtual Result<CodedMatrix> Take() = 0;
  virtual void Done() = 0;
};

// The rows of one table.
class CodedRows {
 public:
  virtual ~CodedRows() = default;

  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  // Row numbers[i] to `to` + i * columns; numbers are in [0, rows).
  virtual Status Read(std::span<const int64_t> numbers, float* to) = 0;
};

// What a node reads instead of a constant that has no elements.
struct CodedNode {
  CodedWeights* weights = nullptr;
  CodedRows* rows = nullptr;
};

// By the name of the node.
using CodedTable = std::map<std::string, CodedNode, std::less<>>;

}  // namespace stint
