// Functions of elements; unary_function and binary_function come before this
// (engine/opencl/element_functions.cc).

__kernel void unary(__global const float* x, __global float* y, int size,
                    int function, float4 p) {
  const int i = get_global_id(0);
  if (i < size) y[i] = unary_function(function, x[i], p);
}

// Operands of y's dimensions, with steps of 0 where they broadcast: runs of
// `sizes.x` elements, `sizes.y` of them, with steps of a and b in sizes.z and w;
// `dims` are those of the runs. Items: elements of a run, runs.
__kernel void binary(__global const float* a, __global const float* b,
                     __global float* y, int function, int4 sizes, int8 dims,
                     int8 a_steps, int8 b_steps, int rank) {
  const int i = get_global_id(0);
  const int r = get_global_id(1);
  if (i >= sizes.x || r >= sizes.y) return;
  y[r * sizes.x + i] =
      binary_function(function, a[place(r, dims, a_steps, rank) + i * sizes.z],
                      b[place(r, dims, b_steps, rank) + i * sizes.w]);
}

// y = (x - mean) / sqrt(variance + epsilon) * scale + shift for [n, c, inner].
// Items: inner, planes.
__kernel void batch_norm(__global const float* x, __global const float* scale,
                         __global const float* shift,
                         __global const float* mean,
                         __global const float* variance, __global float* y,
                         int inner, int planes, int channels, float epsilon) {
  const int i = get_global_id(0);
  const int plane = get_global_id(1);
  if (i >= inner || plane >= planes) return;
  const int c = plane % channels;
  const int at = plane * inner + i;
  y[at] =
      (x[at] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + shift[c];
}
