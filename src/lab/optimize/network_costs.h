#pragma once
// What each way to compute each layer of a network costs in time and in
// answers, and the best combination at a price of answers.

#include <map>
#include <string>
#include <vector>

#include "stint/compress.h"

namespace stint {

// One way to compute a layer.
struct LayerChoice {
  LayerCompression what;
  double us = 0;
  double loss = 0;  // of answers, when only this layer is computed so
};

struct CompressionCosts {
  std::string name;
  // In float, at least one: the first is the layer as it is.
  std::vector<LayerChoice> plain;
  std::optional<LayerChoice> bytes;  // nothing: it has no form in int8
};

// Fewer of the channels that a layer, and others that depend on it, make.
struct ChannelChoice {
  double ratio = 0;  // that goes; 1: the branch that makes them
  double loss = 0;
  std::map<size_t, double> factors;  // by layer: of its time; 0: it is gone
};
struct ChannelCosts {
  std::string layer;
  std::vector<ChannelChoice> choices;  // besides keeping all
  // The sum that its branch ends in, any number: of groups with the same, only
  // one's branch can go. -1: none.
  int sum = -1;
};

// An image from one layer to another, which has to change its form where one
// is in float and the other in bytes.
struct LayerEdge {
  size_t from = 0;
  size_t to = 0;
  double us = 0;
};

struct NetworkCosts {
  std::vector<CompressionCosts> layers;
  std::vector<ChannelCosts> channels;
  std::vector<LayerEdge> edges;
  double rest_us = 0;  // of everything else
};

struct Combination {
  std::map<std::string, LayerCompression> layers;  // those that change
  double us = 0;                                   // predicted
  double loss = 0;                                 // the sum
};

// Minimizes time + price * loss, price in us. Exact for what layers are
// computed in; channels and layers take turns until neither changes.
Combination CheapestAt(double price, const NetworkCosts& costs);

// The fastest that loses at most `loss`: what layers are computed in is as
// above, at the price of the network's time for `loss`; which channels go is a
// knapsack, exact but for rounding and for layers that several groups share. A
// price alone never finds what lies between two large steps.
Combination FastestWithin(double loss, const NetworkCosts& costs);

// Combinations from little loss to much, each faster than all before it.
std::vector<Combination> Tradeoffs(const NetworkCosts& costs);

}  // namespace stint
