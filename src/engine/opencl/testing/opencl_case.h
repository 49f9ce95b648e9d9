#pragma once
// Runs an op on an OpenCL device and by its reference evaluation.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/opencl/opencl_runner.h"
#include "engine/testing/kernel_case.h"

namespace stint {

// The first device with kernels of this tile, compiled once per program; null
// where there is no device, which `why` then says.
inline std::shared_ptr<OpenClDevice> TestDevice(const OpenClTile& tile,
                                                std::string* why) {
  static auto* devices =
      new std::map<std::pair<int, int>, Result<std::shared_ptr<OpenClDevice>>>;
  const std::pair<int, int> key(tile.channels, tile.pixels);
  auto it = devices->find(key);
  if (it == devices->end()) {
    it =
        devices->emplace(key, OpenClDevice::Open("opencl:0", {"", tile})).first;
  }
  if (it->second.ok()) return *it->second;
  *why = it->second.status().message();
  return nullptr;
}

// Skips where there is no device.
#define STINT_NEED_OPENCL()                                     \
  do {                                                          \
    std::string why;                                            \
    if (TestDevice({}, &why) == nullptr) {                      \
      GTEST_SKIP() << "no OpenCL device to test with: " << why; \
    }                                                           \
  } while (false)

// One node with these inputs, seeded as those of KernelCase.
struct OneNodeGraph {
  OneNodeGraph(const Op& op, const std::vector<In>& ins, int num_outputs) {
    std::vector<ValueId> ids;
    uint64_t seed = 100;
    for (const In& in : ins) {
      Tensor tensor = KernelCase::MakeTensor(in, ++seed);
      const std::string name = "in" + std::to_string(ids.size());
      if (in.absent) {
        ids.push_back(kNoValue);
      } else if (in.constant) {
        ids.push_back(graph.AddConstant(name, tensor));
      } else {
        ids.push_back(graph.AddInput(name, ValueType::Of(tensor)));
        inputs.emplace_back(tensor);
      }
    }
    std::vector<ValueId> outs;
    for (int i = 0; i < num_outputs; ++i) {
      outs.push_back(graph.AddValue("out" + std::to_string(i)));
    }
    graph.AddNode("node", op, ids, outs);
    for (ValueId out : outs) graph.MarkOutput(out);
  }
  Graph graph;
  std::vector<Value> inputs;
};

inline Result<std::vector<Value>> RunOnOpenCl(
    const OneNodeGraph& one, const std::shared_ptr<OpenClDevice>& device) {
  ThreadPool pool(1);
  OpenClRunner runner(&one.graph, device, {DetectIsa(), 1}, &pool);
  std::vector<Value> outputs;
  STINT_RETURN_IF_ERROR(runner.RunInto(one.inputs, &outputs));
  return outputs;
}

// The outputs agree, with tiles of several sizes.
inline void ExpectOpenClMatchesReference(const Op& op,
                                         const std::vector<In>& inputs,
                                         int num_outputs = 1) {
  const KernelCase test(op, inputs, num_outputs);
  ThreadPool pool(1);
  EvalContext expected = test.MakeContext(&pool);
  ASSERT_TRUE(Evaluate(op, expected).ok());
  const OneNodeGraph one(op, inputs, num_outputs);
  for (const OpenClTile& tile : {OpenClTile{}, OpenClTile{4, 3}}) {
    SCOPED_TRACE(std::string(OpName(op)) + ", input 0 " +
                 ToString(inputs[0].shape) + ", " + FieldsToString(op));
    std::string why;
    const auto outputs = RunOnOpenCl(one, TestDevice(tile, &why));
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    for (int i = 0; i < num_outputs; ++i) {
      const Tensor& got = (*outputs)[static_cast<size_t>(i)].tensor();
      EXPECT_EQ(got.shape(), expected.out(i).shape());
      ExpectClose(Elements(got), Elements(expected.out(i)), 1e-4);
    }
  }
}

}  // namespace stint
