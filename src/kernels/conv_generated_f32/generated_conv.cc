#include "kernels/conv_generated_f32/generated_conv.h"

#include <algorithm>
#include <limits>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_generated_f32/tile_geometry.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {
namespace {

// Bias of convolutions without one; a tile has at most so many blocks.
alignas(64) constexpr float kZeros[16 * kGeneratedBlocks] = {};

}  // namespace

// Collects the codes that the strips of an image need.
class GeneratedConv::Builder {
 public:
  Builder(const TileGeometry& geometry, GeneratedConv* conv)
      : g_(geometry), conv_(conv) {}

  Status Build(Isa isa) {
    for (int64_t row = 0; row < g_.shape.out_h; row += g_.rows) AddStrip(row);
    STINT_ASSIGN_OR_RETURN(const TileCode code, AssembleTiles(specs_, isa));
    STINT_ASSIGN_OR_RETURN(conv_->memory_, ExecutableMemory::Make(code.bytes));
    for (size_t entry : code.entries) {
      const auto at =
          reinterpret_cast<uintptr_t>(conv_->memory_.data() + entry);
      conv_->code_.push_back(reinterpret_cast<TileFn>(at));
    }
    return OkStatus();
  }

 private:
  void AddStrip(int64_t row) {
    const ConvF32Shape& s = g_.shape;
    Strip strip;
    const int64_t rows = std::min<int64_t>(g_.rows, s.out_h - row);
    const int64_t pixels = std::min(s.out_w * s.out_h, g_.out_pixels);
    strip.y = row * s.out_w * g_.block;
    strip.pixels = std::min(rows * s.out_w, pixels - row * s.out_w);
    for (int64_t col = 0; col < s.out_w; col += g_.cols) {
      const int64_t cols = g_.ColsAt(row, col);
      if (cols <= 0) break;
      AddTile({row, row + rows}, {col, col + cols}, &strip);
    }
    conv_->strips_.push_back(std::move(strip));
  }

  void AddTile(GemmRange rows, GemmRange cols, Strip* strip) {
    Piece piece{};
    const int64_t groups = CeilDiv(conv_->out_blocks_, conv_->blocks_);
    const int64_t rest = conv_->out_blocks_ - (groups - 1) * conv_->blocks_;
    piece.entry[1] = EntryOf(g_.SpecOf(rows, cols, rest, true));
    piece.entry[0] = groups > 1
                         ? EntryOf(g_.SpecOf(rows, cols, conv_->blocks_, false))
                         : piece.entry[1];
    piece.x = g_.InputAt(rows.begin, cols.begin);
    piece.y = (rows.begin * g_.shape.out_w + cols.begin) * g_.block;
    piece.count = 1;
    if (!strip->pieces.empty()) {
      Piece& last = strip->pieces.back();
      if (last.entry[0] == piece.entry[0] && last.entry[1] == piece.entry[1]) {
        ++last.count;
        return;
      }
    }
    strip->pieces.push_back(piece);
  }

  size_t EntryOf(TileSpec spec) {
    const auto it = std::find(specs_.begin(), specs_.end(), spec);
    if (it != specs_.end()) return static_cast<size_t>(it - specs_.begin());
    specs_.push_back(std::move(spec));
    return specs_.size() - 1;
  }

  const TileGeometry& g_;
  GeneratedConv* conv_;
  std::vector<TileSpec> specs_;
};

bool GeneratedConv::Supports(const ConvF32Shape& s, Isa isa) {
  constexpr int64_t kMostTaps = 64;
  constexpr int64_t kMostBytes = std::numeric_limits<int32_t>::max() / 8;
  const int64_t image = std::max(s.in_plane(), s.out_plane()) * 64;
  const int64_t weights = s.in_channels * s.taps() * 64;
  const bool depthwise = s.group_in() == 1 && s.group_out() == 1;
  return GeneratedPixels(isa, 1) > 0 && (s.groups == 1 || depthwise) &&
         s.taps() <= kMostTaps && image < kMostBytes && weights < kMostBytes &&
         s.out_h > 0 && s.out_w > 0 && s.in_channels > 0;
}

Result<std::shared_ptr<const GeneratedConv>> GeneratedConv::Make(
    const ConvF32Shape& shape, ImageLayout input, const ConvSchedule& schedule,
    Isa isa) {
  if (!Supports(shape, isa) ||
      (shape.groups > 1 && input == ImageLayout::kPlain)) {
    return Unsupported("no generated code for this convolution");
  }
  const TileGeometry g = MakeTileGeometry(shape, input, schedule, isa);
  std::shared_ptr<GeneratedConv> conv(new GeneratedConv());
  conv->block_ = g.block;
  conv->blocks_ = g.blocks;
  conv->out_blocks_ = CeilDiv(shape.out_channels, g.block);
  conv->in_floats_ =
      CeilDiv(shape.in_channels, g.lanes) * g.lanes * shape.in_plane();
  conv->out_plane_ = shape.out_plane() * g.block;
  conv->x_group_ = g.depthwise ? shape.in_plane() * g.block : 0;
  conv->w_block_ = shape.group_in() * shape.taps() * g.block;
  conv->schedule_ = schedule;
  STINT_RETURN_IF_ERROR(Builder(g, conv.get()).Build(isa));
  const auto strips = static_cast<int64_t>(conv->strips_.size());
  conv->band_ = schedule.band > 0 ? CeilDiv(schedule.band, g.rows) : strips;
  return std::shared_ptr<const GeneratedConv>(std::move(conv));
}

GemmGrid GeneratedConv::GridFor(int64_t batch, int threads) const {
  if (schedule_.parts() > 0 && schedule_.parts() <= threads) {
    return {schedule_.row_parts, schedule_.block_parts};
  }
  const auto strips = static_cast<int64_t>(strips_.size()) * batch;
  const int64_t groups = CeilDiv(out_blocks_, blocks_);
  return strips >= threads || strips >= groups ? GemmGrid{threads, 1}
                                               : GemmGrid{1, threads};
}

void GeneratedConv::Run(const ConvBlockedF32Args& args,
                        ThreadPool* pool) const {
  const int64_t batch = args.shape.batch;
  const GemmGrid grid = GridFor(batch, pool->threads());
  const auto strips = static_cast<int64_t>(strips_.size()) * batch;
  const int64_t groups = CeilDiv(out_blocks_, blocks_);
  pool->ParallelFor(grid.rows * grid.cols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int at = static_cast<int>(part);
      RunPart(args, PartOf(strips, 1, at / grid.cols, grid.rows),
              PartOf(groups, 1, at % grid.cols, grid.cols));
    }
  });
}

void GeneratedConv::RunPart(const ConvBlockedF32Args& args, GemmRange strips,
                            GemmRange groups) const {
  const int64_t band = schedule_.row_first > 0 ? 1 : band_;
  for (int64_t first = strips.begin; first < strips.end; first += band) {
    const int64_t last = std::min(first + band, strips.end);
    for (int64_t group = groups.begin; group < groups.end; ++group) {
      for (int64_t i = first; i < last; ++i) RunGroup(args, i, group);
    }
  }
}

// One group of output blocks over one strip of one image.
void GeneratedConv::RunGroup(const ConvBlockedF32Args& args, int64_t index,
                             int64_t group) const {
  const auto strips = static_cast<int64_t>(strips_.size());
  const Strip& strip = strips_[static_cast<size_t>(index % strips)];
  const int64_t image = index / strips;
  const int64_t first = group * blocks_;
  const bool last = first + blocks_ >= out_blocks_;
  const float* x = args.x + image * in_floats_ + group * x_group_;
  const int64_t y = (image * out_blocks_ + first) * out_plane_;
  TileCall call{};
  call.w = args.w + first * w_block_;
  call.bias = args.bias ? args.bias + first * block_ : kZeros;
  call.lo = args.act.lo;
  call.hi = args.act.hi;
  for (const Piece& piece : strip.pieces) {
    call.x = x + piece.x;
    call.y = args.y + y + piece.y;
    call.residual = args.residual ? args.residual + y + piece.y : nullptr;
    call.count = piece.count;
    code_[piece.entry[last ? 1 : 0]](&call);
  }
  const int64_t keep = LanesToKeep(args.shape.out_channels, block_, args.act);
  if (keep < block_ && last) {
    float* end = args.y + ((image + 1) * out_blocks_ - 1) * out_plane_;
    ClearLanes(end + strip.y, strip.pixels, block_, keep);
  }
}

}  // namespace stint
