#include "core/meter/energy/energy_reading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace stint {
namespace {

TEST(IdlePower, IsTheMeanWithTheDriftAsItsError) {
  const std::vector<EnergyReading> blocks = {{1, 10, 0.1, 0}, {1, 14, 0.1, 0}};
  const IdlePower idle = IdleFrom(blocks);
  EXPECT_DOUBLE_EQ(idle.watts, 12);
  EXPECT_DOUBLE_EQ(idle.watts_error, 2);  // sd 2.83 over the root of 2
}

TEST(IdlePower, SteadyBlocksKeepTheirOwnError) {
  const std::vector<EnergyReading> blocks = {{2, 20, 0.3, 0}, {2, 20, 0.4, 0}};
  EXPECT_DOUBLE_EQ(IdleFrom(blocks).watts_error, 0.5 / 4);
}

TEST(NetEnergy, VariancesAddUp) {
  const NetEnergy net = SubtractIdle({10, 500, 3, 0}, {12, 0.4});
  EXPECT_DOUBLE_EQ(net.joules, 380);
  EXPECT_DOUBLE_EQ(net.joules_error, 5);  // 3 and 10 s x 0.4 W
  EXPECT_FALSE(net.below_resolution);
}

TEST(NetEnergy, IsNotClippedBelowZero) {
  const NetEnergy net = SubtractIdle({10, 110, 1, 0}, {12, 0.1});
  EXPECT_DOUBLE_EQ(net.joules, -10);
  EXPECT_TRUE(net.below_resolution);
}

}  // namespace
}  // namespace stint
