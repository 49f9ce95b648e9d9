// Sessions on OpenCL: whole networks answer as on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/testing/random_tensor.h"
#include "engine/opencl/opencl_device.h"
#include "engine/run/zero_inputs.h"
#include "lab/networks/make_network.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {
namespace {

constexpr const char* kDevice = "opencl:0";

// Empty where there is a device; else why there is none.
std::string WhyNoDevice() {
  const auto devices = ListOpenClDevices();
  if (!devices.ok()) return devices.status().message();
  return devices->empty() ? "no driver (ICD) has a device" : "";
}

Result<Session> Open(Model model, const std::string& device,
                     SessionOptions options = {}) {
  options.device = device;
  auto runtime = Runtime::Create({.threads = 2});
  EXPECT_TRUE(runtime.ok());
  return Session::Create(std::move(model), *runtime, options);
}

std::vector<Value> PictureFor(const Model& model) {
  auto inputs = ZeroInputs(*model.package()->graph, {});
  EXPECT_TRUE(inputs.ok());
  (*inputs)[0] = RandomTensor((*inputs)[0].tensor().shape(), 7);
  return *inputs;
}

// The largest difference over the largest output of the CPU.
double Difference(Session* cpu, Session* opencl,
                  const std::vector<Value>& inputs) {
  std::vector<Value> want, got;
  EXPECT_TRUE(cpu->RunInto(inputs, &want).ok());
  const Status status = opencl->RunInto(inputs, &got);
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok()) return INFINITY;
  double difference = 0, largest = 0;
  const Tensor& a = want[0].tensor();
  const Tensor& b = got[0].tensor();
  EXPECT_EQ(a.shape(), b.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.data<float>()[i];
    difference = std::max(difference, std::fabs(x - b.data<float>()[i]));
    largest = std::max(largest, std::fabs(x));
  }
  return difference / largest;
}

TEST(OpenClSession, NetworksAnswerAsOnTheCpu) {
  if (const std::string why = WhyNoDevice(); !why.empty()) {
    GTEST_SKIP() << "no OpenCL device to test with: " << why;
  }
  for (const char* name : {"resnet50/tiny", "mobilenetv2/tiny", "cnn-D4-W24"}) {
    SCOPED_TRACE(name);
    auto model = MakeNetwork(name, 3);
    ASSERT_TRUE(model.ok()) << model.status().message();
    const std::vector<Value> inputs = PictureFor(*model);
    auto cpu = Open(*model, "cpu");
    auto opencl = Open(std::move(*model), kDevice);
    ASSERT_TRUE(opencl.ok()) << opencl.status().message();
    EXPECT_LT(Difference(&*cpu, &*opencl, inputs), 1e-3);
  }
}

TEST(OpenClSession, LetsGoOfWeightsThatTheDeviceHasAndStillTakesOtherShapes) {
  if (const std::string why = WhyNoDevice(); !why.empty()) {
    GTEST_SKIP() << "no OpenCL device to test with: " << why;
  }
  auto twin = MakeNetwork("resnet50/tiny", 3);
  auto model = MakeNetwork("resnet50/tiny", 3);
  ASSERT_TRUE(model.ok());
  std::vector<Value> inputs = PictureFor(*model);
  const Graph& graph = *model->package()->graph;
  auto cpu = Open(*twin, "cpu");
  auto opencl = Open(std::move(*model), kDevice);
  ASSERT_TRUE(opencl.ok());
  EXPECT_LT(Difference(&*cpu, &*opencl, inputs), 1e-3);
  int kept = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && constant->rank() >= 2 && constant->has_elements()) ++kept;
  }
  EXPECT_EQ(kept, 0);
  Shape two = inputs[0].tensor().shape();
  two[0] = 2;
  inputs[0] = RandomTensor(two, 9);
  EXPECT_LT(Difference(&*cpu, &*opencl, inputs), 1e-3);
}

TEST(OpenClSession, RefusesWhatTheDeviceDoesNotDo) {
  auto model = MakeNetwork("cnn-D2-W8", 3);
  ASSERT_TRUE(model.ok());
  SessionOptions int8;
  int8.precision = Precision::kInt8;
  SessionOptions budget;
  budget.budget.memory_bytes = 100'000'000;
  SessionOptions primitive;
  primitive.lab.primitive = "direct";
  for (const SessionOptions& options : {int8, budget, primitive}) {
    EXPECT_EQ(Open(*model, kDevice, options).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(OpenClSession, NamesTheDeviceThatIsNotThere) {
  auto model = MakeNetwork("cnn-D2-W8", 3);
  ASSERT_TRUE(model.ok());
  const Status unknown = Open(*model, "foo").status();
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(unknown.message(), "device 'foo', expected cpu or opencl:N");
  const Status absent = Open(*model, "opencl:77").status();
  EXPECT_EQ(absent.code(), StatusCode::kUnsupported);
  EXPECT_NE(absent.message().find("opencl:77"), std::string::npos);
}

}  // namespace
}  // namespace stint
