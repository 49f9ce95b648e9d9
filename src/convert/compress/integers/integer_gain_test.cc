#include "convert/compress/integers/integer_gain.h"

#include <gtest/gtest.h>

#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

constexpr int64_t kElements = 1000;  // of every value

// Three convolutions, ReLUs between them that those take up.
SmallNetwork Chain() {
  SmallNetwork net(4);
  const ValueId a = net.Relu(net.Convolve(net.x, {8, 4, 3, 3}));
  const ValueId b = net.Relu(net.Convolve(a, {8, 8, 3, 3}));
  net.Finish(net.Convolve(b, {8, 8, 3, 3}));
  return net;
}

TimedStep Float(const std::string& layer, double us) {
  return {layer, "BlockedConv", us};
}
TimedStep Bytes(const std::string& layer, double us) {
  return {layer, "QuantizedConv", us};
}

// A value of the network goes between float and bytes in so much.
TimedStep Conversion(double us) { return {"x.bytes", "QuantizeImage", us}; }

std::vector<IntegerGain> Gains(const SmallNetwork& net,
                               std::vector<TimedStep> in_float,
                               std::vector<TimedStep> in_bytes) {
  return FindIntegerGains(
      net.graph, {std::move(in_float), std::move(in_bytes),
                  std::vector<int64_t>(net.graph.num_values(), kElements)});
}

std::vector<bool> Pay(const std::vector<IntegerGain>& gains) {
  std::vector<bool> pay;
  for (const IntegerGain& gain : gains) pay.push_back(gain.pays);
  return pay;
}

TEST(FindIntegerGains, TakesWhatIsFaster) {
  const auto gains = Gains(
      Chain(), {Float("conv1", 100), Float("conv2", 100), Float("conv3", 100)},
      {Conversion(10), Bytes("conv1", 50), Bytes("conv2", 50),
       Bytes("conv3", 50)});
  EXPECT_EQ(Pay(gains), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(gains[0].float_us, 100);
  EXPECT_EQ(gains[0].int8_us, 50);
  EXPECT_EQ(gains[0].reason, "");
}

TEST(FindIntegerGains, LeavesWhatIsSlowerAtTheEndOfAChain) {
  const auto gains = Gains(
      Chain(), {Float("conv1", 100), Float("conv2", 100), Float("conv3", 100)},
      {Conversion(10), Bytes("conv1", 50), Bytes("conv2", 50),
       Bytes("conv3", 150)});
  EXPECT_EQ(Pay(gains), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(gains[2].reason, "not faster in int8");
}

TEST(FindIntegerGains, PassesThroughWhatIsSlowerWhereConversionsCostMore) {
  const auto in_float = {Float("conv1", 100), Float("conv2", 100),
                         Float("conv3", 100)};
  const auto in_bytes = [](double conversion) {
    return std::vector<TimedStep>{Conversion(conversion), Bytes("conv1", 50),
                                  Bytes("conv2", 115), Bytes("conv3", 50)};
  };
  EXPECT_EQ(Pay(Gains(Chain(), in_float, in_bytes(20))),
            (std::vector<bool>{true, true, true}));
  EXPECT_EQ(Pay(Gains(Chain(), in_float, in_bytes(2))),
            (std::vector<bool>{true, false, true}));
}

TEST(FindIntegerGains, LeavesWhatSavesLessThanConversionsCost) {
  const auto gains = Gains(
      Chain(), {Float("conv1", 10), Float("conv2", 10), Float("conv3", 10)},
      {Conversion(20), Bytes("conv1", 5), Bytes("conv2", 5),
       Bytes("conv3", 5)});
  EXPECT_EQ(Pay(gains), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(gains[1].reason, "conversions around it cost more than it saves");
}

TEST(FindIntegerGains, CountsOperatorsBetweenThatAreSlowerOnBytes) {
  SmallNetwork net(4);
  const ValueId a = net.Convolve(net.x, {8, 4, 3, 3});
  const ValueId soft = net.graph.Add("soft", Softmax{1}, {a});
  net.Finish(net.Convolve(soft, {8, 8, 3, 3}));
  const std::vector<TimedStep> in_float = {
      Float("conv1", 50), {"soft", "Softmax", 10}, Float("conv2", 50)};
  // Never on bytes: both sides convert.
  EXPECT_EQ(Pay(Gains(net, in_float,
                      {Conversion(20),
                       Bytes("conv1", 20),
                       {"soft", "Softmax", 10},
                       Bytes("conv2", 20)})),
            (std::vector<bool>{false, false}));
  EXPECT_EQ(Pay(Gains(net, in_float,
                      {Conversion(20),
                       Bytes("conv1", 20),
                       {"soft", "QuantizedLookup", 5},
                       Bytes("conv2", 20)})),
            (std::vector<bool>{true, true}));
}

TEST(FindIntegerGains, SaysWhereThereIsNoKernel) {
  const auto gains = Gains(
      Chain(), {Float("conv1", 100), Float("conv2", 100), Float("conv3", 100)},
      {Conversion(10), Bytes("conv1", 50), Bytes("conv2", 50),
       Float("conv3", 100)});
  EXPECT_EQ(Pay(gains), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(gains[2].reason, "no integer kernel here");
  EXPECT_EQ(gains[2].int8_us, 0);
}

}  // namespace
}  // namespace stint
