#pragma once
// The AMX row of integer products, on tile registers in memory.

#include "kernels/gemm_s8/amx.h"
#include "kernels/gemm_s8/gemm_s8_table.h"
#include "kernels/gemm_s8/lanes_generic.h"
#include "kernels/gemm_s8/quantize.h"
#include "kernels/testing/emulated_tiles.h"

namespace stint {

inline constexpr GemmS8Kernel kEmulatedAmx = {
    "emulated_amx",
    Isa::kBaseline,
    32,
    32,
    RunS8Tiles<EmulatedTiles, GenericS8>,
    QuantizeRowsWith<GenericS8>,
    64,
    16,
    true,
    ReleaseS8Tiles<EmulatedTiles, GenericS8>};

}  // namespace stint
