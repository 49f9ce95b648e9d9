#pragma once
// Measured times of convolution primitives by layer, on one machine, ISA and
// number of threads. Pure data and its text form.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "stint/status.h"

namespace stint {

struct PrimitiveCost {
  std::string primitive;
  double us = 0;
};

// "1x64x56x56-64x56x56-k3x3-s1x1-d1x1-p1x1-g1-blocked": what a layer is called
// in the table.
std::string ConvLayerName(const ConvF32Shape& shape, ImageLayout input);

// The other way round; nothing when `name` is no such name.
struct NamedConvLayer {
  ConvF32Shape shape;
  ImageLayout input = ImageLayout::kBlocked;
};
std::optional<NamedConvLayer> ParseConvLayerName(const std::string& name);

class ConvCosts {
 public:
  // Replaces what is known of the layer. `costs` are not empty.
  void Set(const std::string& layer, std::vector<PrimitiveCost> costs);
  // Fastest first; null when the layer was never measured.
  const std::vector<PrimitiveCost>* Find(const std::string& layer) const;
  size_t size() const { return layers_.size(); }

  // Lines "layer primitive us primitive us ...".
  std::string ToText() const;
  static Result<ConvCosts> Parse(std::string_view text);

 private:
  std::map<std::string, std::vector<PrimitiveCost>> layers_;
};

}  // namespace stint
