// Elements from one place to another.

// y's elements in order from x: transpositions, slices, broadcasts.
// Runs of `length` elements with `step` between them in x; `dims` are those of
// the runs. Items: elements of a run, runs.
__kernel void gather_strided(__global const float* x, __global float* y,
                             int length, int runs, int step, int8 dims,
                             int8 steps, int rank, int start) {
  const int i = get_global_id(0);
  const int r = get_global_id(1);
  if (i >= length || r >= runs) return;
  y[r * length + i] = x[start + place(r, dims, steps, rank) + i * step];
}

// Rows of `width` elements into rows of `pitch`, from `start` on. Items: width,
// rows.
__kernel void copy_rows(__global const float* x, __global float* y, int width,
                        int rows, int pitch, int start) {
  const int i = get_global_id(0);
  const int row = get_global_id(1);
  if (i < width && row < rows) y[row * pitch + start + i] = x[row * width + i];
}

// x of `in` dimensions within y of `out`; `before` says how far in it begins.
// mode: 0 constant, 1 reflect, 2 edge, 3 wrap.
__kernel void pad(__global const float* x, __global float* y, int size,
                  int8 out8, int8 in8, int8 before8, int rank, int mode,
                  float value) {
  int out[8], in[8], before[8];
  vstore8(out8, 0, out);
  vstore8(in8, 0, in);
  vstore8(before8, 0, before);
  int rest = get_global_id(0);
  if (rest >= size) return;
  int at = 0, step = 1;
  for (int d = rank - 1; d >= 0; --d) {
    int i = rest % out[d] - before[d];
    rest /= out[d];
    if (i < 0 || i >= in[d]) {
      if (mode == 0) {
        y[get_global_id(0)] = value;
        return;
      }
      if (mode == 1) {
        const int period = max(2 * in[d] - 2, 1);
        i = (i % period + period) % period;
        if (i >= in[d]) i = period - i;
      } else if (mode == 2) {
        i = clamp(i, 0, in[d] - 1);
      } else {
        i = (i % in[d] + in[d]) % in[d];
      }
    }
    at += i * step;
    step *= in[d];
  }
  y[get_global_id(0)] = x[at];
}
