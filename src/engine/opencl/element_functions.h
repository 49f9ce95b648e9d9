#pragma once
// Functions of elements by name and number, and their text in OpenCL C.

#include <optional>
#include <string>
#include <string_view>

#include "model/ops/elementwise/binary.h"
#include "model/ops/elementwise/unary.h"

namespace stint {

// The number of a function of x and parameters p: "Relu" and the like are named
// as operators are, "clamp", "scale" and the like are ours. -1: there is none.
int UnaryFunction(std::string_view name);
// -1: there is none.
int BinaryFunction(std::string_view name);

// unary_function and binary_function, which the kernels call.
std::string ElementFunctionsSource();

}  // namespace stint
