// Pooling of [n, c, h, w].
//   image:  h, w, output h, output w, pad bottom, pad right, planes
//   window: as for convolutions
// Items: pixels, planes.

__kernel void max_pool(__global const float* x, __global float* y, int8 image,
                       int8 window) {
  const int pixel = get_global_id(0);
  const int pixels = image.s2 * image.s3;
  if (pixel >= pixels || get_global_id(1) >= image.s6) return;
  const int top = pixel / image.s3 * window.s2 - window.s4;
  const int left = pixel % image.s3 * window.s3 - window.s5;
  x += get_global_id(1) * image.s0 * image.s1;
  float most = -INFINITY;
  for (int i = 0; i < window.s0; ++i) {
    const int r = top + i * window.s6;
    if (r < 0 || r >= image.s0) continue;
    for (int j = 0; j < window.s1; ++j) {
      const int c = left + j * window.s7;
      if (c >= 0 && c < image.s1) most = fmax(most, x[r * image.s1 + c]);
    }
  }
  y[get_global_id(1) * pixels + pixel] = most;
}

// count_padding: padding, but not what lies past it, counts in the divisor.
__kernel void average_pool(__global const float* x, __global float* y,
                           int8 image, int8 window, int count_padding) {
  const int pixel = get_global_id(0);
  const int pixels = image.s2 * image.s3;
  if (pixel >= pixels || get_global_id(1) >= image.s6) return;
  const int top = pixel / image.s3 * window.s2 - window.s4;
  const int left = pixel % image.s3 * window.s3 - window.s5;
  x += get_global_id(1) * image.s0 * image.s1;
  float sum = 0.0f;
  int inside = 0, padded = 0;
  for (int i = 0; i < window.s0; ++i) {
    const int r = top + i * window.s6;
    if (r >= image.s0 + image.s4) continue;
    for (int j = 0; j < window.s1; ++j) {
      const int c = left + j * window.s7;
      if (c >= image.s1 + image.s5) continue;
      ++padded;
      if (r < 0 || r >= image.s0 || c < 0 || c >= image.s1) continue;
      sum += x[r * image.s1 + c];
      ++inside;
    }
  }
  const int count = count_padding ? padded : inside;
  y[get_global_id(1) * pixels + pixel] = count > 0 ? sum / count : 0.0f;
}
