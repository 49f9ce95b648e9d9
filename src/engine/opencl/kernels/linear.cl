// Matrix products.

// y[m, n] = finish(x[m, k] * W + bias + residual); W is [block][k][CHANNELS].
//   sizes: m, n, k, blocks; extras: has bias, has residual, curve
// Items: tiles of PIXELS rows x blocks.
__kernel void linear(__global const float* x, __global const float* w,
                     __global const float* bias,
                     __global const float* residual, __global float* y,
                     int4 sizes, int4 extras, float2 clamp_to) {
  const int tiles = (sizes.s0 + PIXELS - 1) / PIXELS;
  const int item = get_global_id(0);
  if (item >= tiles * sizes.s3) return;
  const int block = item / tiles;
  const int first = item % tiles * PIXELS;
  w += block * sizes.s2 * CHANNELS;
  int at[PIXELS];
  vec sums[PIXELS];
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    at[p] = min(first + p, sizes.s0 - 1) * sizes.s2;
    sums[p] = 0.0f;
  }
  for (int k = 0; k < sizes.s2; ++k) {
    const vec v = LOAD(k, w);
#pragma unroll
    for (int p = 0; p < PIXELS; ++p) {
      sums[p] = mad((vec)(x[at[p] + k]), v, sums[p]);
    }
  }
  const int column = block * CHANNELS;
  const int columns = min(CHANNELS, sizes.s1 - column);
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    float values[CHANNELS];
    STORE(sums[p], 0, values);
    if (first + p >= sizes.s0) continue;
    const int out = (first + p) * sizes.s1 + column;
    for (int v = 0; v < columns; ++v) {
      float value = values[v];
      if (extras.s0) value += bias[column + v];
      if (extras.s1) value += residual[out + v];
      y[out + v] = finish(value, extras.s2, clamp_to);
    }
  }
}

// The same for one row, whose k is shared out among the items of a group, one
// group per block; `parts` has CHANNELS floats for each item.
__kernel void linear_row(__global const float* x, __global const float* w,
                         __global const float* bias,
                         __global const float* residual, __global float* y,
                         int4 sizes, int4 extras, float2 clamp_to,
                         __local float* parts) {
  const int block = get_group_id(0);
  const int me = get_local_id(0);
  const int items = get_local_size(0);
  w += block * sizes.s2 * CHANNELS;
  vec sum = 0.0f;
  for (int k = me; k < sizes.s2; k += items) {
    sum = mad((vec)(x[k]), LOAD(k, w), sum);
  }
  STORE(sum, me, parts);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int column = block * CHANNELS;
  const int columns = min(CHANNELS, sizes.s1 - column);
  for (int v = me; v < columns; v += items) {
    float value = 0.0f;
    for (int i = 0; i < items; ++i) value += parts[i * CHANNELS + v];
    if (extras.s0) value += bias[column + v];
    if (extras.s1) value += residual[column + v];
    y[column + v] = finish(value, extras.s2, clamp_to);
  }
}

// y[b, m, n] = alpha * a[b, m, k] * b[b, k, n] for matrices anywhere.
//   sizes: m, n, k, blocks of CHANNELS columns
//   steps: of a along m and k, of b along k and n
//   batch, a_batch, b_batch: batch dimensions and steps of a and b along them
// Items: tiles of PIXELS rows x blocks, batch.
__kernel void matmul(__global const float* a, __global const float* b,
                     __global float* y, int4 sizes, int4 steps, int8 batch,
                     int8 a_batch, int8 b_batch, int rank, float alpha) {
  const int tiles = (sizes.s0 + PIXELS - 1) / PIXELS;
  const int item = get_global_id(0);
  if (item >= tiles * sizes.s3) return;
  const int column = item / tiles * CHANNELS;
  const int columns = min(CHANNELS, sizes.s1 - column);
  const int first = item % tiles * PIXELS;
  const int matrix = get_global_id(1);
  a += place(matrix, batch, a_batch, rank);
  b += place(matrix, batch, b_batch, rank) + column * steps.s3;
  vec sums[PIXELS];
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) sums[p] = 0.0f;
  for (int k = 0; k < sizes.s2; ++k) {
    float values[CHANNELS];
#pragma unroll
    for (int v = 0; v < CHANNELS; ++v) {
      values[v] = b[k * steps.s2 + min(v, columns - 1) * steps.s3];
    }
    const vec v = LOAD(0, values);
#pragma unroll
    for (int p = 0; p < PIXELS; ++p) {
      const int row = min(first + p, sizes.s0 - 1);
      sums[p] = mad((vec)(a[row * steps.s0 + k * steps.s1]), v, sums[p]);
    }
  }
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    float values[CHANNELS];
    STORE(sums[p], 0, values);
    if (first + p >= sizes.s0) continue;
    const int out = (matrix * sizes.s0 + first + p) * sizes.s1 + column;
    for (int v = 0; v < columns; ++v) y[out + v] = alpha * values[v];
  }
}
