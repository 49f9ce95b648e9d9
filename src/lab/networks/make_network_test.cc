#include "lab/networks/make_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/run/zero_inputs.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// Published multiply-adds for one picture or 128 tokens.
TEST(MakeNetwork, HasTheCostOfTheNetworkItIsNamedAfter) {
  const auto macs = [](const char* name) {
    return static_cast<double>(
        SizeOf(MakeNetwork(name, 1).value(), 1, 128).value().macs);
  };
  EXPECT_NEAR(macs("resnet50"), 4.1e9, 0.1e9);
  EXPECT_NEAR(macs("mobilenetv2"), 0.30e9, 0.02e9);
  EXPECT_NEAR(macs("minilm"), 1.43e9, 0.1e9);
}

TEST(MakeNetwork, ATwinHasTheSameStepsAndLittleWork) {
  for (const char* name : {"resnet50", "mobilenetv2", "minilm", "cnn-D8-W64"}) {
    const auto whole = SizeOf(MakeNetwork(name, 1).value(), 1, 32);
    const auto twin =
        SizeOf(MakeNetwork(name + std::string("/tiny"), 1).value(), 1, 32);
    EXPECT_EQ(twin->nodes, whole->nodes) << name;
    EXPECT_LT(twin->macs * 100, whole->macs) << name;
  }
}

TEST(MakeNetwork, AnswersAreFiniteAndSeeded) {
  const auto run = [](uint64_t seed) {
    const Model model = MakeNetwork("encoder-L2-H64", seed).value();
    Session session = Session::Create(model).value();
    const auto inputs =
        ZeroInputs(*model.package()->graph, {.batch = 2, .sequence = 8});
    std::vector<Value> outputs;
    EXPECT_TRUE(session.RunInto(inputs.value(), &outputs).ok());
    const Tensor& tensor = outputs[0].tensor();
    return std::vector<float>(tensor.data<float>(),
                              tensor.data<float>() + tensor.size());
  };
  const std::vector<float> first = run(1);
  EXPECT_EQ(first, run(1));
  EXPECT_NE(first, run(2));
  for (float value : first) EXPECT_LT(std::abs(value), 100);
}

TEST(MakeNetwork, AnUnknownNameListsTheKnown) {
  for (const char* name :
       {"alexnet", "encoder-L0-H64", "encoder-L2-H65", "cnn-D2-W64x", ""}) {
    const Status status = MakeNetwork(name, 1).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find("mobilenetv2"), std::string::npos);
  }
}

}  // namespace
}  // namespace stint
