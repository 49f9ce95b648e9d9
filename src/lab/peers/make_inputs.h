#pragma once
// Random inputs for a model that make sense to it: token ids that exist, masks
// of ones, pictures that are normal.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stint/model.h"
#include "stint/session.h"

namespace stint {

// Shapes by the name of the input; -1 leaves a dimension to the batch, the
// sequence or the default.
using InputShapes = std::map<std::string, Shape>;
// Of "x=1x3x224x224" or "x=?x3x320x320".
Result<InputShapes> ParseInputShapes(const std::vector<std::string>& texts);

// Which inputs a model is asked for.
struct InputSizes {
  int64_t batch = 1;
  int64_t sequence = 128;
  InputShapes shapes = {};
};

// Whether a free dimension of the model is a batch or a sequence, and what the
// first dimension of the first input is when it is fixed (else 0).
struct FreeDimensions {
  bool batch = false;
  bool sequence = false;
  int64_t fixed_batch = 0;
};
FreeDimensions FindFreeDimensions(const Model& model);

// One value per input. A free first dimension is the batch, a free dimension of
// a name like "seq", and a free second one of a matrix, is the sequence; free
// height and width of pictures are 224, anything else is 1. Integers that look
// up rows of a constant (token ids) are uniform over its rows, masks are ones,
// token types zeros, other integers are uniform in [0, 10), floats standard
// normal. The same seed gives the same inputs. kInvalidArgument for a shape of
// no input, or one that an input cannot have.
Result<std::vector<NamedValue>> MakeInputs(const Model& model,
                                           const InputSizes& sizes,
                                           uint64_t seed);

}  // namespace stint
