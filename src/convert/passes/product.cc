#include "convert/passes/product.h"

#include <algorithm>

namespace stint {
namespace {

// Deeper than any exporter writes; keeps a hostile chain from recursing.
constexpr int kMaxDepth = 4;

void Collect(const Matcher& match, ValueId value, int depth, Product* product) {
  const auto made = [&](BinaryKind kind) {
    return depth == 0 ? match.MadeBy(kind, value)
                      : match.MadeOnceBy(kind, value);
  };
  if (const auto scalar = match.Scalar(value)) {
    product->scale *= static_cast<double>(*scalar);
    return;
  }
  if (depth < kMaxDepth) {
    if (const Node* mul = made(BinaryKind::kMul)) {
      Collect(match, mul->inputs[0], depth + 1, product);
      Collect(match, mul->inputs[1], depth + 1, product);
      return;
    }
    const Node* div = made(BinaryKind::kDiv);
    const auto divisor =
        div != nullptr ? match.Scalar(div->inputs[1]) : std::nullopt;
    if (divisor && *divisor != 0) {
      product->scale /= static_cast<double>(*divisor);
      Collect(match, div->inputs[0], depth + 1, product);
      return;
    }
  }
  product->factors.push_back(value);
}

}  // namespace

Product ProductOf(const Matcher& match, ValueId value) {
  Product product;
  Collect(match, value, 0, &product);
  std::sort(product.factors.begin(), product.factors.end());
  return product;
}

}  // namespace stint
