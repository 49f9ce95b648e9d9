#pragma once
// Fourier transforms and what audio models put around them. Complex numbers are
// a last dimension of 2, real ones of 1.

#include <span>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs x [..., length, ..., 1 or 2], dft_length (optional: the axis as it
// is), axis (optional: -2). onesided: the transform of a real signal as its
// first half, and with `inverse` a real signal from that half.
struct DFT {
  static constexpr std::string_view kName = "DFT";
  int64_t inverse = 0;
  int64_t onesided = 0;
  STINT_FIELDS(inverse, onesided)
};

// Inputs signal [n, length, 1 or 2], frame_step, window (optional),
// frame_length (optional: the window's).
struct STFT {
  static constexpr std::string_view kName = "STFT";
  int64_t onesided = 1;
  STINT_FIELDS(onesided)
};

enum class WindowKind { kHann, kHamming, kBlackman };
struct WindowName {
  WindowKind kind;
  std::string_view name;
};

// Input size (one integer).
struct SignalWindow {
  WindowKind kind = WindowKind::kHann;
  DType output_datatype = DType::kFloat32;
  int64_t periodic = 1;
  STINT_FIELDS(output_datatype, periodic)
};

// Inputs num_mel_bins, dft_length, sample_rate (integers), lower and upper edge
// in hertz (floats). Output [dft_length / 2 + 1, num_mel_bins].
struct MelWeightMatrix {
  static constexpr std::string_view kName = "MelWeightMatrix";
  DType output_datatype = DType::kFloat32;
  STINT_FIELDS(output_datatype)
};

std::span<const WindowName> KindNames(const SignalWindow*);

// What a DFT does to its axis: elements read, length of the transform, outputs.
struct DftPlan {
  int64_t axis = 0;
  int64_t length = 0;
  int64_t outputs = 0;
};
Result<DftPlan> PlanDft(const DFT& op, const Shape& x, const Tensor* length,
                        const Tensor* axis);

// How an STFT cuts its signal.
struct StftPlan {
  int64_t step = 0;
  int64_t length = 0;
  int64_t frames = 0;
  int64_t bins = 0;
};
Result<StftPlan> PlanStft(const STFT& op, const Shape& signal,
                          const Tensor& step, const Shape* window,
                          const Tensor* length);

Status Infer(const DFT& op, InferContext& ctx);
Status Infer(const STFT& op, InferContext& ctx);
Status Infer(const SignalWindow& op, InferContext& ctx);
Status Infer(const MelWeightMatrix& op, InferContext& ctx);

}  // namespace stint
