#pragma once
// A chain of multiplications and divisions by constants as one product,
// whatever order an exporter wrote it in.

#include <vector>

#include "convert/passes/matcher.h"

namespace stint {

struct Product {
  double scale = 1;              // of all scalar constants
  std::vector<ValueId> factors;  // the rest; sorted by id
};

// Looks through multiplications whose results nothing else reads, but for
// `value` itself, which may have any readers.
Product ProductOf(const Matcher& match, ValueId value);

}  // namespace stint
