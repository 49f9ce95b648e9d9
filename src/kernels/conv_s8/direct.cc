#include "kernels/conv_s8/direct.h"

#include "core/platform/thread_pool.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/conv_s8/direct_plan.h"

namespace stint {
namespace {

// One thread's share.
struct Share {
  const ConvS8Args* args;
  const ConvS8TileSet* tiles;
  const DirectS8Plan* plan;
  GemmRange panels;
  uint8_t* scratch;
  int part;
  FunctionRef<DirectS8Panel(int part, int64_t i)> panel;
};

// Rows [begin, end) of one image.
struct BandOf {
  int64_t image;
  GemmRange rows;
};

// The tiles of a band but for the panel.
ConvS8Tiles MakeTiles(const Share& share, const BandOf& band) {
  const ConvS8Args& args = *share.args;
  const ConvF32Shape& s = args.shape;
  const DirectS8Plan& p = *share.plan;
  const int64_t rows = band.rows.end - band.rows.begin;
  ConvS8Tiles t{};
  const uint8_t* image = args.x + band.image * s.in_plane() * args.x_pixel;
  if (p.copy) {
    CopyBand(s,
             {image, args.x_pixel, args.x_zero, band.rows.begin, rows,
              p.pitch / args.x_pixel},
             share.scratch);
    t.x = share.scratch;
  } else {
    t.x = image + band.rows.begin * s.stride_h * p.pitch;
  }
  t.x_pixel = s.stride_w * args.x_pixel;
  t.x_row = s.stride_h * p.pitch;
  t.cols = s.out_w;
  t.pixels = rows * s.out_w;
  t.x_step[0] = s.dilation_h * p.pitch;
  t.x_step[1] = s.dilation_w * args.x_pixel;
  t.count[0] = p.runs[0];
  t.count[1] = p.runs[1];
  t.groups = p.groups;
  const int64_t first = band.image * s.out_plane() + band.rows.begin * s.out_w;
  t.store.y = args.y + first * args.y_pixel;
  t.store.residual =
      args.residual ? args.residual + first * args.y_pixel : nullptr;
  t.store.y_pixel = args.y_pixel;
  t.store.out = &args.out;
  return t;
}

// Where a panel, counted through all groups, stands among packed weights.
DirectS8Panel PackedPanel(const DirectS8Plan& p, const ConvS8Args& args,
                          int64_t panel) {
  const ConvF32Shape& s = args.shape;
  const GemmRange vecs = p.PanelVecs(panel % p.panels);
  const int64_t slot = (panel / p.panels * p.vecs + vecs.begin) * p.width;
  const int8_t* scales = args.w + p.PanelBytes(s.groups);
  const int64_t slots = s.groups * p.vecs * p.width;
  DirectS8Panel out;
  out.w = args.w + slot * p.Steps() * 4;
  out.w_next_bytes = (vecs.end - vecs.begin) * p.width * p.Steps() * 4;
  out.w_next = out.w + out.w_next_bytes;
  out.bias = reinterpret_cast<const int32_t*>(scales) + slot;
  out.multiplier = reinterpret_cast<const float*>(scales) + slots + slot;
  return out;
}

// Points `t` at a panel.
void MoveToPanel(const Share& share, int64_t panel, ConvS8Tiles* t) {
  const ConvS8Args& args = *share.args;
  const ConvF32Shape& s = args.shape;
  const DirectS8Plan& p = *share.plan;
  const GemmRange vecs = p.PanelVecs(panel % p.panels);
  const DirectS8Panel weights = share.panel(share.part, panel);
  t->vecs = vecs.end - vecs.begin;
  t->w = weights.w;
  t->w_next = panel + 1 < share.panels.end ? weights.w_next : nullptr;
  t->w_next_bytes = weights.w_next_bytes;
  t->bias = weights.bias;
  t->store.multiplier = weights.multiplier;
  // A single group may write into the bytes past its last channel.
  const int64_t limit = s.groups == 1 ? args.y_pixel : s.group_out();
  t->store.channels = std::min(t->vecs * p.width, limit - vecs.begin * p.width);
}

void RunBand(const Share& share, const BandOf& band) {
  const ConvS8Args& args = *share.args;
  const DirectS8Plan& p = *share.plan;
  const ConvS8Tiles first = MakeTiles(share, band);
  for (int64_t i = share.panels.begin; i < share.panels.end; ++i) {
    ConvS8Tiles t = first;
    MoveToPanel(share, i, &t);
    const int64_t group = i / p.panels;
    const int64_t channel = group * args.shape.group_out() +
                            p.PanelVecs(i % p.panels).begin * p.width;
    t.x += group * args.shape.group_in();
    t.store.y += channel;
    if (t.store.residual) t.store.residual += channel;
    share.tiles->run(t);
  }
}

// Rows [begin, end) counted through all images.
void RunShare(const Share& share, GemmRange rows) {
  const DirectS8Plan& p = *share.plan;
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t first = r % p.rows;
    const int64_t count = std::min({p.band, p.rows - first, rows.end - r});
    RunBand(share, {r / p.rows, {first, first + count}});
    r += count;
  }
}

// Where the weights of an output channel go: byte `b` of step (i, j, g).
struct PackedChannel {
  const int8_t* w;  // [group_in, kernel_h, kernel_w]
  int8_t* to;       // its 4 bytes of the first step
  int64_t step;     // bytes between steps
};

void PackChannel(const DirectS8Plan& p, const ConvF32Shape& s, int64_t x_pixel,
                 PackedChannel channel) {
  for (int64_t i = 0; i < p.runs[0]; ++i) {
    for (int64_t j = 0; j < p.runs[1]; ++j) {
      for (int64_t at = 0; at < 4 * p.groups; ++at) {
        const int64_t col = p.whole_rows ? at / x_pixel : j;
        const int64_t c = p.whole_rows ? at % x_pixel : at;
        channel.to[at / 4 * channel.step + at % 4] =
            c < s.group_in() && col < s.kernel_w
                ? channel.w[(c * s.kernel_h + i) * s.kernel_w + col]
                : int8_t{0};
      }
      channel.to += p.groups * channel.step;
    }
  }
}

}  // namespace

bool DirectS8Supports(const ConvF32Shape& shape) {
  return shape.groups == 1 || shape.group_in() % 4 == 0;
}

int64_t DirectS8PackedBytes(const ConvS8Kernel& kernel,
                            const ConvF32Shape& shape, int64_t x_pixel) {
  const DirectS8Plan p = MakeDirectS8Plan(*kernel.tiles, shape, x_pixel);
  return p.PanelBytes(shape.groups) + shape.groups * p.vecs * p.width * 8;
}

void DirectS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                  const ConvS8Weights& weights, int8_t* packed) {
  const DirectS8Plan p =
      MakeDirectS8Plan(*kernel.tiles, shape, weights.x_pixel);
  const int64_t bytes = p.PanelBytes(shape.groups);
  const int64_t slots = shape.groups * p.vecs * p.width;
  std::memset(packed, 0, static_cast<size_t>(bytes + slots * 8));
  auto* bias = reinterpret_cast<int32_t*>(packed + bytes);
  auto* multiplier = reinterpret_cast<float*>(packed + bytes) + slots;
  const int64_t per_channel = shape.group_in() * shape.taps();
  for (int64_t o = 0; o < shape.out_channels; ++o) {
    const int64_t group = o / shape.group_out();
    const int64_t in_group = o % shape.group_out();
    const int64_t slot = group * p.vecs * p.width + in_group;
    bias[slot] = weights.bias[o];
    multiplier[slot] = weights.multiplier[o];
    int64_t panel = 0;
    while (in_group >= p.PanelVecs(panel).end * p.width) ++panel;
    const GemmRange vecs = p.PanelVecs(panel);
    const int64_t panel_at =
        (group * p.vecs + vecs.begin) * p.width * p.Steps() * 4;
    PackChannel(p, shape, weights.x_pixel,
                {weights.w + o * per_channel,
                 packed + panel_at + (in_group - vecs.begin * p.width) * 4,
                 (vecs.end - vecs.begin) * p.width * 4});
  }
}

int64_t DirectS8ScratchBytes(const ConvS8Kernel& kernel,
                             const ConvF32Shape& shape, int64_t x_pixel,
                             int threads) {
  return threads *
         MakeDirectS8Plan(*kernel.tiles, shape, x_pixel).scratch_bytes;
}

void DirectS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
              ThreadPool* pool) {
  const DirectS8Plan p =
      MakeDirectS8Plan(*kernel.tiles, args.shape, args.x_pixel);
  RunDirectS8(*kernel.tiles, args, pool,
              [&](int, int64_t panel) { return PackedPanel(p, args, panel); });
}

void RunDirectS8(const ConvS8TileSet& tiles, const ConvS8Args& args,
                 ThreadPool* pool,
                 FunctionRef<DirectS8Panel(int part, int64_t i)> panel) {
  const ConvF32Shape& s = args.shape;
  const DirectS8Plan p = MakeDirectS8Plan(tiles, s, args.x_pixel);
  const int64_t work = s.batch * s.out_plane() * s.out_channels * p.Steps() * 4;
  const GemmGrid grid = SplitDirectS8(
      tiles, p, s, work < 4 * kMinParallelWork ? 1 : pool->threads());
  const auto run = [&](int part) {
    if (part >= grid.rows * grid.cols) return;
    const Share share{&args,
                      &tiles,
                      &p,
                      PartOf(p.total_panels, 1, part % grid.cols, grid.cols),
                      args.scratch + part * p.scratch_bytes,
                      part,
                      panel};
    RunShare(share, PartOf(p.rows * p.images, 1, part / grid.cols, grid.rows));
  };
  if (grid.rows * grid.cols == 1) return run(0);
  pool->ParallelParts(run);
}

}  // namespace stint
