// Convolutions of [n, c, h, w]; weights are [group][block][kh][kw][c][CHANNELS].
//   image:  input channels of all groups, h, w, input channels of a group,
//           output h, output w, output channels of a group, blocks of a group
//   window: kh, kw, stride h, stride w, pad top, pad left, dilation h, w
//   extras: has bias, has residual, curve
// Items: tiles of pixels x blocks, groups, n.

// Sums over the input channels for one tap of the window.
inline void sum_run(__global const float* x, int plane,
                    __global const float* w, int channels, vec* sums) {
  for (int c = 0; c < channels; ++c) {
    const vec v = LOAD(c, w);
#pragma unroll
    for (int p = 0; p < PIXELS; ++p) sums[p] = mad((vec)(x[p]), v, sums[p]);
    x += plane;
  }
}

// The same for pixels anywhere; `at` is -1 in the padding.
inline void sum_apart(__global const float* x, int plane, const int* at,
                      __global const float* w, int channels, vec* sums) {
  for (int c = 0; c < channels; ++c) {
    const vec v = LOAD(c, w);
#pragma unroll
    for (int p = 0; p < PIXELS; ++p) {
      const float e = at[p] < 0 ? 0.0f : x[max(at[p], 0)];
      sums[p] = mad((vec)(e), v, sums[p]);
    }
    x += plane;
  }
}

__kernel void conv(__global const float* x, __global const float* w,
                   __global const float* bias,
                   __global const float* residual, __global float* y,
                   int8 image, int8 window, int4 extras, float2 clamp_to) {
  const int pixels = image.s4 * image.s5;
  const int tiles = (pixels + PIXELS - 1) / PIXELS;
  const int item = get_global_id(0);
  if (item >= tiles * image.s7) return;
  const int block = item / tiles;
  const int first = item % tiles * PIXELS;
  const int group = get_global_id(1);
  const int plane = image.s1 * image.s2;
  x += (get_global_id(2) * image.s0 + group * image.s3) * plane;
  w += (group * image.s7 + block) * window.s0 * window.s1 * image.s3 * CHANNELS;

  int row[PIXELS], column[PIXELS];
  vec sums[PIXELS];
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    const int pixel = min(first + p, pixels - 1);
    row[p] = pixel / image.s5 * window.s2 - window.s4;
    column[p] = pixel % image.s5 * window.s3 - window.s5;
    sums[p] = 0.0f;
  }
  for (int i = 0; i < window.s0; ++i) {
    for (int j = 0; j < window.s1; ++j) {
      int at[PIXELS];
      int run = 1;
#pragma unroll
      for (int p = 0; p < PIXELS; ++p) {
        const int r = row[p] + i * window.s6;
        const int c = column[p] + j * window.s7;
        const int inside =
            r >= 0 && r < image.s1 && c >= 0 && c < image.s2;
        at[p] = inside ? r * image.s2 + c : -1;
        run = run && inside && at[p] == at[0] + p;
      }
      if (run) {
        sum_run(x + at[0], plane, w, image.s3, sums);
      } else {
        sum_apart(x, plane, at, w, image.s3, sums);
      }
      w += image.s3 * CHANNELS;
    }
  }

  const int channel = group * image.s6 + block * CHANNELS;
  const int channels = min(CHANNELS, image.s6 - block * CHANNELS);
  const int groups = get_global_size(1);
  const int out =
      (get_global_id(2) * groups * image.s6 + channel) * pixels + first;
  float values[PIXELS * CHANNELS];
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) STORE(sums[p], p, values);
#pragma unroll
  for (int v = 0; v < CHANNELS; ++v) {
    if (v >= channels) continue;
    float line[PIXELS];
#pragma unroll
    for (int p = 0; p < PIXELS; ++p) line[p] = values[p * CHANNELS + v];
    const int at = out + v * pixels;
    finish_run(LOAD_RUN(0, line), extras.s0 ? bias[channel + v] : 0.0f,
               residual + at, y + at, min(PIXELS, pixels - first), extras,
               clamp_to);
  }
}

// One input channel per output channel; weights are [oc][kh][kw]. `image` as
// above with groups of one input channel. Items: runs of PIXELS in a row x rows,
// output channels, n.
__kernel void conv_depthwise(__global const float* x, __global const float* w,
                             __global const float* bias,
                             __global const float* residual,
                             __global float* y, int8 image, int8 window,
                             int4 extras, float2 clamp_to) {
  const int runs = (image.s5 + PIXELS - 1) / PIXELS;
  const int item = get_global_id(0);
  if (item >= runs * image.s4) return;
  const int oy = item / runs;
  const int ox = item % runs * PIXELS;
  const int channel = get_global_id(1);
  x += (get_global_id(2) * image.s0 + channel / image.s6) *
       image.s1 * image.s2;
  w += channel * window.s0 * window.s1;
  const int left = ox * window.s3 - window.s5;
  const int right = left + (PIXELS - 1) * window.s3 +
                    (window.s1 - 1) * window.s7;
  const int whole = left >= 0 && right < image.s2;
  run sums = 0.0f;
  for (int i = 0; i < window.s0; ++i) {
    const int r = oy * window.s2 - window.s4 + i * window.s6;
    if (r < 0 || r >= image.s1) continue;
    __global const float* line = x + r * image.s2;
    for (int j = 0; j < window.s1; ++j) {
      const int c = left + j * window.s7;
      float e[PIXELS];
      if (whole && window.s3 == 1) {
        STORE_RUN(LOAD_RUN(0, line + c), 0, e);
      } else {
#pragma unroll
        for (int p = 0; p < PIXELS; ++p) {
          const int at = c + p * window.s3;
          e[p] = at >= 0 && at < image.s2 ? line[clamp(at, 0, image.s2 - 1)]
                                          : 0.0f;
        }
      }
      sums = mad(LOAD_RUN(0, e), (run)(w[i * window.s1 + j]), sums);
    }
  }
  const int channels = get_global_size(1);
  const int out =
      ((get_global_id(2) * channels + channel) * image.s4 + oy) * image.s5 + ox;
  finish_run(sums, extras.s0 ? bias[channel] : 0.0f, residual + out, y + out,
             min(PIXELS, image.s5 - ox), extras, clamp_to);
}
