#include "engine/profile/time_codes.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/random.h"
#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "kernels/gemm_codes/gemm_codes.h"
#include "stint/tensor.h"

namespace stint {
namespace {

struct Size {
  int64_t k;
  int64_t n;
};
// Of encoders with 384 and with 768 channels.
constexpr Size kSizes[] = {
    {384, 384}, {384, 1536}, {1536, 384}, {768, 768}, {768, 3072}};
constexpr int64_t kRows[] = {1, 4, 8, 16, 32, 64, 128, 256};
// As shards have them, along the longer side.
constexpr int64_t kSlices = 12;
constexpr int64_t kWeightsPerOutlier = 1000;
// Planes that calls take in turn: more than caches hold.
constexpr int64_t kRotatedBytes = 64 << 20;
constexpr int kLeastCalls = 4;
constexpr double kLeastMs = 15;

Result<Tensor> Bytes(int64_t count) {
  return Tensor::Allocate(DType::kUInt8, {count});
}

// One matrix with everything its products need.
class Product {
 public:
  Product(const GemmCodesKernel& kernel, const Size& size, ThreadPool* pool)
      : kernel_(kernel), size_(size), pool_(pool) {}

  Status Prepare(int64_t most_rows) {
    Random random(1);
    STINT_ASSIGN_OR_RETURN(planes_, Bytes(kRotatedBytes));
    for (int64_t i = 0; i < kRotatedBytes / 8; ++i) {
      const uint64_t word = random.NextU64();
      std::memcpy(planes_.data<uint8_t>() + 8 * i, &word, 8);
    }
    for (int8_t& value : values_) value = static_cast<int8_t>(random.NextU64());
    for (int64_t i = 0; i < size_.k * size_.n; i += kWeightsPerOutlier) {
      outliers_.push_back({static_cast<int32_t>(i / size_.k),
                           static_cast<int32_t>(i % size_.k), 1});
    }
    const auto outliers = static_cast<int64_t>(outliers_.size());
    STINT_ASSIGN_OR_RETURN(a_, Bytes(most_rows * size_.k));
    std::memset(a_.raw(), 100, a_.bytes());
    STINT_ASSIGN_OR_RETURN(
        scratch_, Bytes(GemmCodesScratchBytes(kernel_, most_rows, size_.k,
                                              outliers, pool_->threads())));
    c_.resize(static_cast<size_t>(most_rows * size_.n));
    zero_.assign(static_cast<size_t>(most_rows), 120);
    scale_.assign(static_cast<size_t>(std::max(most_rows, size_.n)), 0.01f);
    return OkStatus();
  }

  // Of the quicker quarter of several calls: others on the machine can only
  // make them slower.
  double QuickNs(int64_t rows, int bits) {
    Run(rows, bits);
    std::vector<double> ns;
    const int64_t start = NowNs();
    while (ns.size() < kLeastCalls || MsSince(start) < kLeastMs) {
      ns.push_back(Run(rows, bits));
    }
    return Quantile(ns, 0.25);
  }

 private:
  double Run(int64_t rows, int bits) {
    PlaceBlocks(bits);
    GemmS8Args args{.m = rows, .n = size_.n, .k = size_.k};
    args.a = a_.data<uint8_t>();
    args.lda = size_.k;
    args.scale_a = args.scale_b = args.bias_n = scale_.data();
    args.zero_a = zero_.data();
    args.c = c_.data();
    args.ldc = size_.n;
    args.scratch = scratch_.data<uint8_t>();
    const int64_t begin = NowNs();
    GemmCodes(kernel_, args, {blocks_, outliers_}, pool_);
    return static_cast<double>(NowNs() - begin);
  }

  // On the planes after those of the last call.
  void PlaceBlocks(int bits) {
    const bool by_outputs = size_.n >= size_.k;
    const int64_t cut = (by_outputs ? size_.n : size_.k) / kSlices;
    const int64_t bytes = size_.k * size_.n * bits / 8;
    if (used_ + bytes > kRotatedBytes) used_ = 0;
    const auto* at =
        reinterpret_cast<const uint64_t*>(planes_.data<uint8_t>() + used_);
    used_ += (bytes + 63) / 64 * 64;
    blocks_.assign(kSlices, {});
    for (int64_t s = 0; s < kSlices; ++s) {
      CodedBlock& block = blocks_[static_cast<size_t>(s)];
      (by_outputs ? block.output : block.input) = s * cut;
      block.shape.outputs = by_outputs ? cut : size_.n;
      block.shape.inputs = by_outputs ? size_.k : cut;
      block.bits = bits;
      block.values = values_ + PlaneDictionaryOffset(bits);
    }
    for (int p = 0; p < bits; ++p) {
      for (CodedBlock& block : blocks_) {
        block.planes[p] = at;
        at += block.shape.plane_words();
      }
    }
  }

  GemmCodesKernel kernel_;
  Size size_;
  ThreadPool* pool_;
  Tensor planes_;
  int64_t used_ = 0;
  int8_t values_[kPlaneDictionaryValues];
  std::vector<CodedBlock> blocks_;
  std::vector<CodedOutlier> outliers_;
  Tensor a_;
  std::vector<uint8_t> zero_;
  std::vector<float> scale_;
  std::vector<float> c_;
  Tensor scratch_;
};

}  // namespace

Result<CodeCosts::Matrix> TimeCodedMatrix(Isa isa, int64_t k, int64_t n,
                                          std::span<const int64_t> rows,
                                          ThreadPool* pool) {
  Product product(PickGemmCodes(isa), {k, n}, pool);
  STINT_RETURN_IF_ERROR(product.Prepare(rows.back()));
  CodeCosts::Matrix matrix{k, n, {}};
  const ThreadPool::Run awake(pool);
  for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
    auto& points = matrix.points[static_cast<size_t>(bits - kPlaneMinBits)];
    for (int64_t m : rows) points.push_back({m, product.QuickNs(m, bits)});
    // Fewer rows never take more; where they seem to, others were at work.
    for (size_t i = points.size() - 1; i > 0; --i) {
      points[i - 1].ns = std::min(points[i - 1].ns, points[i].ns);
    }
  }
  return matrix;
}

Result<CodeCosts> TimeCodes(Isa isa, ThreadPool* pool,
                            const std::function<void(double done)>& progress) {
  CodeCosts costs;
  int done = 0;
  for (const Size& size : kSizes) {
    if (progress) progress(static_cast<double>(done) / std::size(kSizes));
    STINT_ASSIGN_OR_RETURN(CodeCosts::Matrix matrix,
                           TimeCodedMatrix(isa, size.k, size.n, kRows, pool));
    costs.Add(std::move(matrix));
    ++done;
  }
  if (progress) progress(1);
  return costs;
}

}  // namespace stint
