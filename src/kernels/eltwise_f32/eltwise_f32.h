#pragma once
// y = f(x) element by element, and c = act(a op b) over [rows, cols] with the
// broadcasts networks use. Output may be the same array as an input.

#include <cstdint>

#include "kernels/eltwise_f32/eltwise_f32_table.h"

namespace stint {

class ThreadPool;

void UnaryF32(UnaryF32Fn run, const UnaryF32Args& args, ThreadPool* pool);
void BinaryF32(BinaryF32Fn run, const BinaryF32Args& args, ThreadPool* pool);

}  // namespace stint
