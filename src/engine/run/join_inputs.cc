// Concatenation without copies: producers write where the joined tensor lies.

#include <algorithm>

#include "engine/run/program_builder.h"

namespace stint {

bool ProgramBuilder::JoinInputs(const Node& node, const InferContext& ctx) {
  const auto* concat = As<Concat>(node.op);
  if (concat == nullptr || !node.outputs[0].valid()) return false;
  const int whole = bindings_[node.outputs[0].index].buffer;
  if (whole < 0) return false;
  // Pieces lie one after the other only if nothing is repeated around them.
  const Shape& dims = ctx.outputs()[0].dims;
  const int64_t rank = static_cast<int64_t>(dims.size());
  const int64_t axis = concat->axis < 0 ? concat->axis + rank : concat->axis;
  if (std::any_of(dims.begin(), dims.begin() + axis,
                  [](int64_t dim) { return dim != 1; })) {
    return false;
  }
  const std::optional<std::vector<int>> pieces = PiecesOf(node);
  if (!pieces) return false;
  int64_t at = 0;
  for (int piece : *pieces) {
    if (at % kBufferAlignment != 0) return false;
    at += lives_[piece].bytes;
  }
  if (at != lives_[whole].bytes) return false;
  at = 0;
  for (int piece : *pieces) {
    lives_[piece].within = whole;
    lives_[piece].at = at;
    at += lives_[piece].bytes;
  }
  return true;
}

// The buffers that, one after the other, are the inputs: their own, or one that
// already holds several of them in this order, as where a network joins all it
// has so far again and again. Nothing when an input must lie elsewhere, too.
std::optional<std::vector<int>> ProgramBuilder::PiecesOf(const Node& node) {
  std::vector<int> pieces;
  int64_t covered = 0;  // bytes of the last piece that inputs account for
  for (ValueId in : node.inputs) {
    const int buffer = bindings_[in.index].buffer;
    if (buffer < 0) return std::nullopt;
    int outermost = buffer;
    int64_t at = 0;
    while (lives_[outermost].within >= 0) {
      at += lives_[outermost].at;
      outermost = lives_[outermost].within;
    }
    if (pieces.empty() || covered == lives_[pieces.back()].bytes) {
      if (std::count(pieces.begin(), pieces.end(), outermost) > 0) {
        return std::nullopt;
      }
      pieces.push_back(outermost);
      covered = 0;
    }
    if (outermost != pieces.back() || at != covered) return std::nullopt;
    covered += lives_[buffer].bytes;
  }
  if (pieces.empty() || covered != lives_[pieces.back()].bytes) {
    return std::nullopt;
  }
  return pieces;
}

void ProgramBuilder::SetIdleStepsAside() {
  idle_.resize(program_->steps.size(), false);
  std::vector<std::unique_ptr<Step>> busy;
  for (size_t i = 0; i < idle_.size(); ++i) {
    auto& list = idle_[i] ? program_->idle_steps : busy;
    list.push_back(std::move(program_->steps[i]));
  }
  program_->steps = std::move(busy);
}

}  // namespace stint
