// Functions of elements; unary_function and binary_function come before this
// (engine/opencl/element_functions.cc).

__kernel void unary(__global const float* x, __global float* y, int size,
                    int function, float4 p) {
  const int i = get_global_id(0);
  if (i < size) y[i] = unary_function(function, x[i], p);
}

// Operands of y's dimensions, with steps of 0 where they broadcast.
__kernel void binary(__global const float* a, __global const float* b,
                     __global float* y, int size, int function, int8 dims,
                     int8 a_steps, int8 b_steps, int rank) {
  const int i = get_global_id(0);
  if (i >= size) return;
  y[i] = binary_function(function, a[place(i, dims, a_steps, rank)],
                         b[place(i, dims, b_steps, rank)]);
}

// y = (x - mean) / sqrt(variance + epsilon) * scale + shift for [n, c, inner].
__kernel void batch_norm(__global const float* x, __global const float* scale,
                         __global const float* shift,
                         __global const float* mean,
                         __global const float* variance, __global float* y,
                         int size, int channels, int inner, float epsilon) {
  const int i = get_global_id(0);
  if (i >= size) return;
  const int c = i / inner % channels;
  y[i] = (x[i] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + shift[c];
}
