#include "engine/opencl/element_functions.h"

#include <cstddef>
#include <span>

namespace stint {
namespace {

struct ElementFunction {
  std::string_view name;
  std::string_view text;
};

// Of x, with parameters in p.
constexpr ElementFunction kUnary[] = {
    {"Abs", "fabs(x)"},
    {"Acos", "acos(x)"},
    {"Acosh", "acosh(x)"},
    {"Asin", "asin(x)"},
    {"Asinh", "asinh(x)"},
    {"Atan", "atan(x)"},
    {"Atanh", "atanh(x)"},
    {"Ceil", "ceil(x)"},
    {"Cos", "cos(x)"},
    {"Cosh", "cosh(x)"},
    {"Erf", "erf(x)"},
    {"Exp", "exp(x)"},
    {"Floor", "floor(x)"},
    {"HardSwish", "x * fmax(0.0f, fmin(1.0f, x / 6.0f + 0.5f))"},
    {"Log", "log(x)"},
    {"Mish", "x * tanh(softplus(x))"},
    {"Neg", "-x"},
    {"Reciprocal", "1.0f / x"},
    {"Relu", "x < 0.0f ? 0.0f : x"},
    {"Round", "rint(x)"},
    {"Sigmoid", "sigmoid(x)"},
    {"Sign", "x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x"},
    {"Sin", "sin(x)"},
    {"Sinh", "sinh(x)"},
    {"Softplus", "softplus(x)"},
    {"Softsign", "x / (1.0f + fabs(x))"},
    {"Sqrt", "sqrt(x)"},
    {"Tan", "tan(x)"},
    {"Tanh", "tanh(x)"},
    {"LeakyRelu", "x < 0.0f ? p.x * x : x"},
    {"Elu", "x < 0.0f ? p.x * (exp(x) - 1.0f) : x"},
    {"Celu", "fmax(0.0f, x) + fmin(0.0f, p.x * (exp(x / p.x) - 1.0f))"},
    {"Selu", "p.y * (x > 0.0f ? x : p.x * (exp(x) - 1.0f))"},
    {"HardSigmoid", "fmax(0.0f, fmin(1.0f, p.x * x + p.y))"},
    {"ThresholdedRelu", "x > p.x ? x : 0.0f"},
    {"Shrink", "x < -p.y ? x + p.x : x > p.y ? x - p.x : 0.0f"},
    {"Swish", "x * sigmoid(p.x * x)"},
    // p.z is the number of a Curve.
    {"clamp", "finish(x, (int)p.z, p.xy)"},
    {"scale", "p.x * x"},
};

// Of a and b.
constexpr ElementFunction kBinary[] = {
    {"Add", "a + b"},
    {"Div", "a / b"},
    {"Mul", "a * b"},
    {"Pow", "pow(a, b)"},
    {"PRelu", "a < 0.0f ? a * b : a"},
    {"Sub", "a - b"},
    {"Max", "isnan(a) || a > b ? a : b"},
    {"Min", "isnan(a) || a < b ? a : b"},
};

constexpr std::string_view kUsed = R"(
inline float sigmoid(float x) {
  const float e = exp(-fabs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
inline float softplus(float x) {
  return fmax(x, 0.0f) + log1p(exp(-fabs(x)));
}
)";

int Find(std::span<const ElementFunction> functions, std::string_view name) {
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string SwitchOver(std::span<const ElementFunction> functions) {
  std::string text = "  switch (function) {\n";
  for (size_t i = 0; i < functions.size(); ++i) {
    text += "    case " + std::to_string(i) + ": return " +
            std::string(functions[i].text) + ";\n";
  }
  return text + "  }\n  return NAN;\n}\n";
}

}  // namespace

int UnaryFunction(std::string_view name) { return Find(kUnary, name); }
int BinaryFunction(std::string_view name) { return Find(kBinary, name); }

std::string ElementFunctionsSource() {
  return std::string(kUsed) +
         "inline float unary_function(int function, float x, float4 p) {\n" +
         SwitchOver(kUnary) +
         "inline float binary_function(int function, float a, float b) {\n" +
         SwitchOver(kBinary);
}

}  // namespace stint
