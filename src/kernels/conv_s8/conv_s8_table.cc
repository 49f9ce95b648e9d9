#include "kernels/conv_s8/conv_s8_table.h"

#include "kernels/conv_s8/depthwise.h"
#include "kernels/conv_s8/direct.h"
#include "kernels/conv_s8/reference.h"
#include "kernels/conv_s8/sparse.h"
#include "kernels/conv_s8/winograd.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

extern const ConvS8TileSet kConvS8TilesGeneric;
extern const ConvS8DepthwiseSet kConvS8DepthwiseGeneric;
extern const ConvS8SparseSet kConvS8SparseGeneric;
extern const ConvS8WinogradSet kConvS8WinogradGeneric;
#if defined(__x86_64__)
extern const ConvS8TileSet kConvS8TilesAmx;
extern const ConvS8TileSet kConvS8TilesVnni;
extern const ConvS8TileSet kConvS8TilesVnni8;
extern const ConvS8TileSet kConvS8TilesAvx2;
extern const ConvS8DepthwiseSet kConvS8DepthwiseVnni;
extern const ConvS8DepthwiseSet kConvS8DepthwiseAvx2;
extern const ConvS8SparseSet kConvS8SparseVnni;
extern const ConvS8WinogradSet kConvS8WinogradVnni;
#endif

namespace {

// Tile registers multiply 64 bytes of up to 16 pixels at a time: with less than
// that to do, vectors are as fast.
bool SuitsTileRegisters(const ConvF32Shape& s) {
  return s.groups == 1 && s.in_channels * s.taps() >= 64 &&
         s.batch * s.out_plane() >= 8;
}

constexpr ConvS8Kernel OnTileRegisters(ConvS8Kernel direct) {
  direct.primitive = "tiles";
  direct.supports = SuitsTileRegisters;
  return direct;
}

constexpr ConvS8Kernel Direct(const char* name, Isa isa,
                              const ConvS8TileSet* tiles) {
  return {name,
          "direct",
          isa,
          DirectS8Supports,
          DirectS8PackedBytes,
          DirectS8Pack,
          DirectS8ScratchBytes,
          DirectS8,
          tiles,
          nullptr};
}

// A vector of 16 channels would be at most half full: 1.3 to 1.5 times as fast
// where the CPU splits vectors of 512 bits (Zen 4, conv_s8_bench
// --benchmark_filter=half/), and no slower elsewhere.
bool SuitsHalfVectors(const ConvF32Shape& s) {
  return s.groups == 1 && s.out_channels <= 8;
}

constexpr ConvS8Kernel OnHalfVectors(ConvS8Kernel direct) {
  direct.supports = SuitsHalfVectors;
  return direct;
}

constexpr ConvS8Kernel Depthwise(const char* name, Isa isa,
                                 const ConvS8DepthwiseSet* set) {
  return {name,
          "depthwise",
          isa,
          DepthwiseS8Supports,
          DepthwiseS8PackedBytes,
          DepthwiseS8Pack,
          DepthwiseS8ScratchBytes,
          DepthwiseS8,
          nullptr,
          set};
}

constexpr ConvS8Kernel kTable[] = {
#if defined(__x86_64__)
    OnTileRegisters(Direct("tiles_amx", Isa::kAmx, &kConvS8TilesAmx)),
    Depthwise("depthwise_vnni", Isa::kVnni, &kConvS8DepthwiseVnni),
    OnHalfVectors(Direct("direct_vnni8", Isa::kVnni, &kConvS8TilesVnni8)),
    Direct("direct_vnni", Isa::kVnni, &kConvS8TilesVnni),
    Depthwise("depthwise_avx2", Isa::kAvx2, &kConvS8DepthwiseAvx2),
    Direct("direct_avx2", Isa::kAvx2, &kConvS8TilesAvx2),
#endif
    Depthwise("depthwise_generic", Isa::kBaseline, &kConvS8DepthwiseGeneric),
    Direct("direct_generic", Isa::kBaseline, &kConvS8TilesGeneric),
    {"reference", "reference", Isa::kBaseline, ReferenceConvS8Supports,
     ReferenceConvS8PackedBytes, ReferenceConvS8Pack,
     ReferenceConvS8ScratchBytes, ReferenceConvS8, nullptr, nullptr},
};

constexpr ConvS8Kernel Sparse(const char* name, Isa isa,
                              const ConvS8SparseSet* set) {
  return {name,
          "sparse",
          isa,
          SparseS8Supports,
          SparseS8PackedBytes,
          SparseS8Pack,
          SparseS8ScratchBytes,
          SparseS8,
          nullptr,
          nullptr,
          set};
}

constexpr ConvS8Kernel kSparseTable[] = {
#if defined(__x86_64__)
    Sparse("sparse_vnni", Isa::kVnni, &kConvS8SparseVnni),
#endif
    Sparse("sparse_generic", Isa::kBaseline, &kConvS8SparseGeneric),
};

constexpr ConvS8Kernel Winograd(const char* name, Isa isa,
                                const ConvS8WinogradSet* set) {
  return {name,
          "winograd4",
          isa,
          WinogradS8Supports,
          WinogradS8PackedBytes,
          WinogradS8Pack,
          WinogradS8ScratchBytes,
          WinogradS8,
          nullptr,
          nullptr,
          nullptr,
          set};
}

constexpr ConvS8Kernel kWinogradTable[] = {
#if defined(__x86_64__)
    Winograd("winograd4_vnni", Isa::kVnni, &kConvS8WinogradVnni),
#endif
    Winograd("winograd4_generic", Isa::kBaseline, &kConvS8WinogradGeneric),
};

}  // namespace

std::span<const ConvS8Kernel> ConvS8WinogradTable() { return kWinogradTable; }

std::span<const ConvS8Kernel> ConvS8SparseTable() { return kSparseTable; }

std::span<const ConvS8Kernel> ConvS8Table() { return kTable; }

const ConvS8Kernel& PickConvS8(const ConvF32Shape& shape, Isa cap) {
  return PickBest(kTable, cap,
                  [&](const auto& row) { return row.supports(shape); });
}

}  // namespace stint
