// Several elements become one, or a row is brought to a common scale.

// Each output from runs of `along.x` elements, `along.y` of them, `along.z` apart
// within a run; `reduced` are the dimensions of the runs.
// kind: 0 sum, 1 mean, 2 max, 3 min, 4 sum of squares, 5 L1, 6 L2, 7 product
__kernel void reduce(__global const float* x, __global float* y, int size,
                     int8 kept, int8 kept_steps, int kept_rank, int4 along,
                     int8 reduced, int8 reduced_steps, int reduced_rank,
                     int kind) {
  const int i = get_global_id(0);
  if (i >= size) return;
  x += place(i, kept, kept_steps, kept_rank);
  float sum = kind == 2 ? -INFINITY : kind == 3 ? INFINITY : kind == 7 ? 1 : 0;
  for (int r = 0; r < along.y; ++r) {
    __global const float* run_of = x + place(r, reduced, reduced_steps,
                                             reduced_rank);
    for (int k = 0; k < along.x; ++k) {
      const float e = run_of[k * along.z];
      if (kind == 2) sum = fmax(sum, e);
      else if (kind == 3) sum = fmin(sum, e);
      else if (kind == 4 || kind == 6) sum = mad(e, e, sum);
      else if (kind == 5) sum += fabs(e);
      else if (kind == 7) sum *= e;
      else sum += e;
    }
  }
  if (kind == 1) sum /= along.x * along.y;
  if (kind == 6) sum = sqrt(sum);
  y[i] = sum;
}

// Rows of `length` elements `inner` apart. logarithm: 1 for its logarithm.
__kernel void softmax(__global const float* x, __global float* y, int rows,
                      int length, int inner, int logarithm) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  const int start = row / inner * length * inner + row % inner;
  x += start;
  y += start;
  float most = -INFINITY;
  for (int k = 0; k < length; ++k) most = fmax(most, x[k * inner]);
  float sum = 0.0f;
  for (int k = 0; k < length; ++k) sum += exp(x[k * inner] - most);
  for (int k = 0; k < length; ++k) {
    const float e = x[k * inner] - most;
    y[k * inner] = logarithm ? e - log(sum) : exp(e) / sum;
  }
}

// Rows next to each other: y = (x - mean) / sqrt(variance + epsilon) * scale +
// shift.
__kernel void layer_norm(__global const float* x, __global const float* scale,
                         __global const float* shift, __global float* y,
                         int rows, int length, int has_shift, float epsilon) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  x += row * length;
  y += row * length;
  float mean = 0.0f;
  for (int k = 0; k < length; ++k) mean += x[k];
  mean /= length;
  float variance = 0.0f;
  for (int k = 0; k < length; ++k) variance += (x[k] - mean) * (x[k] - mean);
  const float factor = 1.0f / sqrt(variance / length + epsilon);
  for (int k = 0; k < length; ++k) {
    y[k] = (x[k] - mean) * factor * scale[k] + (has_shift ? shift[k] : 0.0f);
  }
}
