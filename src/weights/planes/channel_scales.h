#pragma once
// One scale per output channel, so that what remains has the same spread in all
// of them and fits an int8 grid but for few outliers.

#include <span>
#include <vector>

#include "core/platform/thread_pool.h"
#include "stint/status.h"
#include "weights/planes/matrix_rows.h"

namespace stint {

// Weights beyond this many grid units are outliers.
inline constexpr float kOutlierLimit = 127.5f;

// Root of the mean square of the weights that are not far out; not finite when
// a weight is not.
double SpreadOf(std::span<const float> weights);

// Scales such that weight / scale is in grid units. About one weight in a
// thousand is beyond the limit; more, up to one in a hundred, where rows are so
// short that a plain int8 grid of each row would be much finer. 0 for a channel
// of zeros. kInvalidArgument for weights that are not finite.
Result<std::vector<float>> FindChannelScales(const MatrixRows& rows,
                                             ThreadPool* pool);

}  // namespace stint
