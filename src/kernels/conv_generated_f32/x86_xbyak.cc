#include <cstddef>
#include <map>
#include <string>
#include <utility>

#define XBYAK_NO_EXCEPTION
#include <xbyak/xbyak.h>

#include "kernels/conv_generated_f32/tile_code.h"

namespace stint {
namespace {

// More than a few hundred KB would not stay in L2 beside the data.
constexpr size_t kMostBytes = 512 * 1024;

// Register is Xbyak::Zmm or Xbyak::Ymm.
template <class Register>
class Assembler : public Xbyak::CodeGenerator {
 public:
  Assembler(void* memory, bool wide)
      : CodeGenerator(kMostBytes, memory), wide_(wide) {}

  size_t Add(const TileSpec& spec) {
    align(64);
    const size_t entry = getSize();
    spec_ = &spec;
    // rdi: the call; r8, r9, r10, r11: x, y, residual and count of tiles.
    mov(r8, ptr[rdi + offsetof(TileCall, x)]);
    mov(r9, ptr[rdi + offsetof(TileCall, y)]);
    mov(r10, ptr[rdi + offsetof(TileCall, residual)]);
    mov(r11, ptr[rdi + offsetof(TileCall, count)]);
    Xbyak::Label tile;
    L(tile);
    Sum();
    Finish();
    add(r8, spec.x_tile);
    add(r9, spec.y_tile);
    dec(r11);
    jnz(tile, T_NEAR);
    vzeroupper();
    ret();
    return entry;
  }

 private:
  int Registers() const { return wide_ ? 32 : 16; }
  int Vector() const { return spec_->block * 4; }
  Register SumOf(int pixel, int b) const {
    return Register(pixel * spec_->blocks + b);
  }
  Register Weight(int b) const {
    return Register(spec_->pixels * spec_->blocks + b);
  }
  // What is left over takes pixels in turn.
  Register Spare(int i) const {
    const int first = (spec_->pixels + 1) * spec_->blocks;
    return Register(first + i % (Registers() - first));
  }

  void Sum() {
    for (int i = 0; i < spec_->pixels * spec_->blocks; ++i) {
      const Register sum(i);
      if (wide_) {
        vpxord(sum, sum, sum);
      } else {
        vxorps(sum, sum, sum);
      }
    }
    mov(rax, r8);
    mov(rdx, ptr[rdi + offsetof(TileCall, w)]);
    if (spec_->depthwise) return Windows();
    if (spec_->planes > 0) {
      Xbyak::Label plane;
      mov(rsi, spec_->planes);
      L(plane);
      Plane(spec_->lanes);
      dec(rsi);
      jnz(plane, T_NEAR);
    }
    if (spec_->tail > 0) Plane(spec_->tail);
  }

  // All taps of one plane of x; rax and rdx move on to the next one.
  void Plane(int lanes) {
    const int unroll = lanes % spec_->unroll == 0 ? spec_->unroll : 1;
    Xbyak::Label channel;
    if (lanes > unroll) mov(ecx, lanes / unroll);
    L(channel);
    for (int c = 0; c < unroll; ++c) Channel(c, lanes);
    add(rax, unroll * 4);
    add(rdx, unroll * Vector());
    if (lanes > unroll) {
      dec(ecx);
      jnz(channel, T_NEAR);
    }
    const int taps = static_cast<int>(spec_->taps.size());
    add(rax, spec_->x_plane - lanes * 4);
    add(rdx, (taps - 1) * lanes * Vector());
  }

  // Depthwise: each column of x is loaded once for all windows that see it.
  void Windows() {
    const int taps = static_cast<int>(spec_->taps.size());
    const bool held = wide_ && taps <= kDepthwiseTaps;
    const int first = spec_->pixels + (held ? taps : 0);
    std::map<int32_t, std::vector<std::pair<int, int>>> columns;  // tap, pixel
    for (int t = 0; t < taps; ++t) {
      if (held) vmovups(Register(spec_->pixels + t), ptr[rdx + t * Vector()]);
      for (const TileSpec::Use& use : spec_->taps[t]) {
        columns[use.x].emplace_back(t, use.pixel);
      }
    }
    int turn = 0;
    for (const auto& [x, uses] : columns) {
      const Register column(first + turn++ % (Registers() - first));
      vmovups(column, ptr[rax + x]);
      for (const auto& [t, pixel] : uses) {
        if (held) {
          vfmadd231ps(SumOf(pixel, 0), Register(spec_->pixels + t), column);
        } else {
          vfmadd231ps(SumOf(pixel, 0), column, ptr[rdx + t * Vector()]);
        }
      }
    }
  }

  bool IsHalf(int b) const {
    return wide_ && spec_->half_last && b + 1 == spec_->blocks;
  }

  void Channel(int c, int lanes) {
    const int taps = static_cast<int>(spec_->taps.size());
    for (int t = 0; t < taps; ++t) {
      if (spec_->taps[t].empty()) continue;
      const int at = (t * lanes + c) * Vector();
      for (int b = 0; b < spec_->blocks; ++b) {
        const auto from = ptr[rdx + (b * spec_->w_block + at)];
        if (IsHalf(b)) {
          vmovups(Xbyak::Ymm(Weight(b).getIdx()), from);
        } else {
          vmovups(Weight(b), from);
        }
        if (spec_->ahead > 0) {
          prefetcht0(ptr[rdx + (b * spec_->w_block + at +
                                spec_->ahead * taps * lanes * Vector())]);
        }
      }
      for (size_t i = 0; i < spec_->taps[t].size(); ++i) {
        Multiply(spec_->taps[t][i], c, static_cast<int>(i));
      }
    }
  }

  void Multiply(const TileSpec::Use& use, int c, int turn) {
    const int at = use.x + c * 4;
    if (wide_ && spec_->blocks == 1) {
      Fma(SumOf(use.pixel, 0), Weight(0), ptr_b[rax + at], IsHalf(0));
      return;
    }
    vbroadcastss(Spare(turn), ptr[rax + at]);
    for (int b = 0; b < spec_->blocks; ++b) {
      if (IsHalf(b)) {
        Fma(SumOf(use.pixel, b), Weight(b), Xbyak::Ymm(Spare(turn).getIdx()),
            true);
      } else {
        Fma(SumOf(use.pixel, b), Weight(b), Spare(turn), false);
      }
    }
  }

  // On the lower half of the registers it clears the upper.
  void Fma(const Register& sum, const Register& w, const Xbyak::Operand& x,
           bool half) {
    if (half) {
      vfmadd231ps(Xbyak::Ymm(sum.getIdx()), Xbyak::Ymm(w.getIdx()), x);
    } else {
      vfmadd231ps(sum, w, x);
    }
  }

  // y = clamp(sum + bias + residual).
  void Finish() {
    Xbyak::Label no_residual;
    mov(rdx, ptr[rdi + offsetof(TileCall, bias)]);
    for (int b = 0; b < spec_->blocks; ++b) {
      vmovups(Weight(0), ptr[rdx + b * Vector()]);
      for (int p = 0; p < spec_->pixels; ++p) {
        vaddps(SumOf(p, b), SumOf(p, b), Weight(0));
      }
    }
    test(r10, r10);
    jz(no_residual, T_NEAR);
    ForEachSum(
        [&](const Register& sum, int at) { vaddps(sum, sum, ptr[r10 + at]); });
    add(r10, spec_->y_tile);
    L(no_residual);
    vbroadcastss(Weight(0), ptr[rdi + offsetof(TileCall, lo)]);
    vbroadcastss(Spare(0), ptr[rdi + offsetof(TileCall, hi)]);
    ForEachSum([&](const Register& sum, int at) {
      // In this order NaN stays NaN.
      vmaxps(sum, Weight(0), sum);
      vminps(sum, Spare(0), sum);
      vmovups(ptr[r9 + at], sum);
    });
  }

  template <class Do>
  void ForEachSum(Do what) {
    for (int p = 0; p < spec_->pixels; ++p) {
      for (int b = 0; b < spec_->blocks; ++b) {
        what(SumOf(p, b), spec_->y[p] + b * spec_->y_block);
      }
    }
  }

  const bool wide_;
  const TileSpec* spec_ = nullptr;
};

template <class Register>
Result<TileCode> Assemble(const std::vector<TileSpec>& specs, bool wide) {
  TileCode code;
  code.bytes.resize(kMostBytes);
  Xbyak::ClearError();
  Assembler<Register> assembler(code.bytes.data(), wide);
  for (const TileSpec& spec : specs) {
    code.entries.push_back(assembler.Add(spec));
    if (const int error = Xbyak::GetError()) {
      Xbyak::ClearError();
      return Unsupported(std::string("generated code: ") +
                         Xbyak::ConvertErrorToString(error));
    }
  }
  code.bytes.resize(assembler.getSize());
  return code;
}

}  // namespace

Result<TileCode> AssembleTiles(const std::vector<TileSpec>& specs, Isa isa) {
  if (isa >= Isa::kAvx512) return Assemble<Xbyak::Zmm>(specs, true);
  if (isa >= Isa::kAvx2) return Assemble<Xbyak::Ymm>(specs, false);
  return Unsupported("generated code needs AVX2");
}

}  // namespace stint
