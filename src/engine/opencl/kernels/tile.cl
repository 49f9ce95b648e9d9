// What all kernels share. The host defines CHANNELS and PIXELS: one work-item
// of a product computes so many output channels (one vector) of so many pixels
// or rows (one accumulator each).

#if CHANNELS == 16
typedef float16 vec;
#define LOAD vload16
#define STORE vstore16
#elif CHANNELS == 8
typedef float8 vec;
#define LOAD vload8
#define STORE vstore8
#else
typedef float4 vec;
#define LOAD vload4
#define STORE vstore4
#endif

// The elements of neighboring pixels.
#if PIXELS == 8
typedef float8 run;
#define LOAD_RUN vload8
#define STORE_RUN vstore8
#elif PIXELS == 4
typedef float4 run;
#define LOAD_RUN vload4
#define STORE_RUN vstore4
#else
typedef float3 run;
#define LOAD_RUN vload3
#define STORE_RUN vstore3
#endif

// What follows a product: y = curve(clamp(x, lo, hi)), for one element and for
// a run. Numbers are those of Curve in kernels/simd/activation.h.
#define DEFINE_FINISH(name, type)                                              \
  inline type name(type x, int curve, float2 clamp_to) {                       \
    x = fmin(fmax(x, (type)(clamp_to.x)), (type)(clamp_to.y));                 \
    switch (curve) {                                                           \
      case 1: return 0.5f * x * (1.0f + erf(x * 0.70710678f));                 \
      case 2:                                                                  \
        return 0.5f * x *                                                      \
               (1.0f + tanh(0.79788456f * (x + 0.044715f * x * x * x)));       \
      case 3: return x / (1.0f + exp(-x));                                     \
      case 4: return 1.0f / (1.0f + exp(-x));                                  \
      case 5: return tanh(x);                                                  \
      case 6: return x * clamp(x / 6.0f + 0.5f, (type)(0.0f), (type)(1.0f));   \
      case 7: return clamp(x / 6.0f + 0.5f, (type)(0.0f), (type)(1.0f));       \
      default: return x;                                                       \
    }                                                                          \
  }
DEFINE_FINISH(finish, float)
DEFINE_FINISH(finish_all, run)

// y = finish(x + bias + residual) for `count` neighbors.
inline void finish_run(run x, float bias, __global const float* residual,
                       __global float* y, int count, int4 extras,
                       float2 clamp_to) {
  x += bias;
  float values[PIXELS];
  if (count == PIXELS) {
    if (extras.s1) x += LOAD_RUN(0, residual);
    STORE_RUN(finish_all(x, extras.s2, clamp_to), 0, y);
    return;
  }
  if (extras.s1) {
    STORE_RUN(x, 0, values);
    for (int p = 0; p < count; ++p) values[p] += residual[p];
    x = LOAD_RUN(0, values);
  }
  STORE_RUN(finish_all(x, extras.s2, clamp_to), 0, values);
  for (int p = 0; p < count; ++p) y[p] = values[p];
}

// Where element `index` of dimensions `dims` lies by `strides`.
inline int place(int index, int8 dims8, int8 strides8, int rank) {
  int dims[8], strides[8];
  vstore8(dims8, 0, dims);
  vstore8(strides8, 0, strides);
  int at = 0;
  for (int d = rank - 1; d > 0; --d) {
    at += index % dims[d] * strides[d];
    index /= dims[d];
  }
  return at + index * strides[0];
}
