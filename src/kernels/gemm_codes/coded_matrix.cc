#include "kernels/gemm_codes/coded_matrix.h"

#include <algorithm>
#include <string>

namespace stint {
namespace {

std::string Place(const CodedBlock& block) {
  return "block at output " + std::to_string(block.output) + ", input " +
         std::to_string(block.input);
}

Status CheckBlock(const CodedBlock& block) {
  if (block.bits < kPlaneMinBits || block.bits > kPlaneMaxBits) {
    return InvalidArgument(Place(block) + " has " + std::to_string(block.bits) +
                           " bits, expected 2 to 8");
  }
  if (block.shape.outputs <= 0 || block.shape.inputs <= 0 ||
      block.input % kPlaneWordInputs != 0) {
    return InvalidArgument(
        Place(block) + " has " + std::to_string(block.shape.outputs) +
        " outputs and " + std::to_string(block.shape.inputs) +
        " inputs, expected some of each from a multiple of 4 on");
  }
  return OkStatus();
}

Status CheckOutliers(std::span<const CodedOutlier> outliers, int64_t n,
                     int64_t k) {
  int32_t output = 0;
  for (const CodedOutlier& outlier : outliers) {
    if (outlier.output < output || outlier.output >= n || outlier.input < 0 ||
        outlier.input >= k) {
      return InvalidArgument(
          "outlier at output " + std::to_string(outlier.output) + ", input " +
          std::to_string(outlier.input) + ", expected output " +
          std::to_string(output) + " to " + std::to_string(n - 1) +
          " and an input below " + std::to_string(k));
    }
    output = outlier.output;
  }
  return OkStatus();
}

}  // namespace

StripCodes CodedBlock::Strip(int64_t strip) const {
  StripCodes codes{};
  for (int p = 0; p < bits; ++p) {
    codes.planes[p] = planes[p] + strip * shape.strip_words();
  }
  codes.bits = bits;
  codes.values = values;
  codes.inputs = shape.inputs;
  return codes;
}

Status CheckCodedMatrix(const CodedMatrix& matrix, int64_t n, int64_t k) {
  int64_t output = 0, outputs = 0, input = k;
  for (const CodedBlock& block : matrix.blocks) {
    if (Status status = CheckBlock(block); !status.ok()) return status;
    if (input == k) {  // a band begins
      output += outputs;
      outputs = block.shape.outputs;
      input = 0;
    }
    if (block.output != output || block.input != input ||
        block.shape.outputs != outputs || block.shape.inputs > k - input) {
      return InvalidArgument(Place(block) + " does not follow the one before " +
                             "it, expected output " + std::to_string(output) +
                             ", input " + std::to_string(input));
    }
    input += block.shape.inputs;
  }
  if (output + outputs != n || input != k) {
    return InvalidArgument("blocks have " + std::to_string(output + outputs) +
                           " outputs, expected " + std::to_string(n));
  }
  return CheckOutliers(matrix.outliers, n, k);
}

void ChunkCursor::FindBand() {
  strip_ = 0;
  band_ = 0;
  const auto size = static_cast<int64_t>(blocks_.size());
  while (band_ < size && blocks_[band_].output == blocks_[0].output) ++band_;
}

bool ChunkCursor::Next(CodedChunk* chunk) {
  chunk->count = 0;
  chunk->outputs = 0;
  while (band_ > 0 && chunk->count < strips_) {
    const CodedBlock& block = blocks_[0];
    const int64_t at = strip_ * kPlaneStripOutputs;
    const int64_t outputs =
        std::min(kPlaneStripOutputs, block.shape.outputs - at);
    if (chunk->count == 0) chunk->output = block.output + at;
    chunk->strips[chunk->count++] = {blocks_.first(static_cast<size_t>(band_)),
                                     strip_};
    chunk->outputs += outputs;
    if (++strip_ == block.shape.strips()) {
      blocks_ = blocks_.subspan(static_cast<size_t>(band_));
      FindBand();
    }
    if (outputs < kPlaneStripOutputs) break;
  }
  return chunk->count > 0;
}

int64_t CountChunks(std::span<const CodedBlock> blocks, int strips) {
  ChunkCursor cursor(blocks, strips);
  CodedChunk chunk;
  int64_t count = 0;
  while (cursor.Next(&chunk)) ++count;
  return count;
}

}  // namespace stint
