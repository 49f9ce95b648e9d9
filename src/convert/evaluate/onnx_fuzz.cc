// Any bytes as a model must give a graph or an error. A graph whose inputs are
// small is also run, on zeros.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "convert/onnx/import.h"
#include "convert/onnx/testing/proto_tree.h"
#include "convert/passes/pipeline.h"
#include "core/base/random.h"
#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"

namespace {

// Elements of one input: the seeds have far fewer.
constexpr int64_t kMaxElements = 4096;

// Zeros for every input, or nothing when one is not small or not a tensor.
bool MakeInputs(const stint::Graph& graph, std::vector<stint::Value>* inputs) {
  for (stint::ValueId id : graph.inputs()) {
    const stint::ValueType& type = graph.value(id).type;
    if (!type.is_tensor() || !type.IsConcrete()) return false;
    const auto count = stint::ElementCount(type.dims);
    if (!count.ok() || *count > kMaxElements) return false;
    auto tensor = stint::Tensor::Allocate(type.dtype, type.dims);
    if (!tensor.ok()) return false;
    inputs->push_back(std::move(tensor).value());
  }
  return true;
}

// Every list of fields in the tree.
void CollectLists(std::vector<stint::ProtoField>* fields,
                  std::vector<std::vector<stint::ProtoField>*>* lists) {
  if (fields->empty()) return;
  lists->push_back(fields);
  for (stint::ProtoField& field : *fields) CollectLists(&field.children, lists);
}

// Sizes and indices at which arithmetic goes wrong.
constexpr int64_t kNumbers[] = {0,
                                1,
                                2,
                                3,
                                4,
                                5,
                                7,
                                8,
                                9,
                                11,
                                16,
                                64,
                                -1,
                                -2,
                                -3,
                                255,
                                1 << 16,
                                int64_t{1} << 31,
                                int64_t{1} << 32,
                                int64_t{1} << 40,
                                INT64_MAX,
                                INT64_MIN};

int64_t PickNumber(stint::Random* random) {
  return kNumbers[random->NextInt(std::size(kNumbers))];
}

void ChangeBytes(stint::Random* random, const stint::ProtoField& other,
                 std::string* bytes) {
  const auto ops = stint::OpEntries();
  switch (random->NextInt(4)) {
    case 0:
      *bytes = std::string(ops[random->NextInt(ops.size())].name);
      return;
    case 1:
      *bytes = other.bytes;
      return;
    case 2:
      bytes->clear();
      return;
    default: {
      // One of the int64 numbers of raw data.
      const int64_t number = PickNumber(random);
      const std::string eight(reinterpret_cast<const char*>(&number), 8);
      if (bytes->size() < 8) {
        *bytes = eight;
      } else {
        bytes->replace(8 * random->NextInt(bytes->size() / 8), 8, eight);
      }
    }
  }
}

// Changes one field somewhere.
void ChangeTree(stint::Random* random, std::vector<stint::ProtoField>* root) {
  std::vector<std::vector<stint::ProtoField>*> lists;
  CollectLists(root, &lists);
  if (lists.empty()) return;
  auto& list = *lists[random->NextInt(lists.size())];
  auto& field = list[random->NextInt(list.size())];
  const auto& other_list = *lists[random->NextInt(lists.size())];
  const stint::ProtoField other =
      other_list[random->NextInt(other_list.size())];
  switch (random->NextInt(8)) {
    case 0:
      list.erase(list.begin() + (&field - list.data()));
      return;
    case 1:
      list.push_back(other);
      return;
    case 2:
      field = other;
      return;
    default:
      if ((field.key & 7) == 0) {
        field.number = static_cast<uint64_t>(PickNumber(random));
      } else if (field.children.empty()) {
        ChangeBytes(random, other, &field.bytes);
      }
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Mostly changes fields of the message, sometimes plain bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  stint::Random random(seed);
  auto tree = stint::ParseProto({reinterpret_cast<const char*>(data), size});
  if (!tree || random.NextInt(5) == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  for (int64_t n = random.NextInt(3); n >= 0; --n) ChangeTree(&random, &*tree);
  const std::string bytes = stint::WriteProto(*tree);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Tensors above this are refused as if the machine were that small.
  stint::PretendMemoryForTesting(256 * 1024);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto graph =
      stint::ImportOnnxBytes(input, "/nonexistent", /*owner=*/nullptr);
  if (!graph.ok()) return 0;
  std::vector<stint::Value> inputs;
  if (!MakeInputs(**graph, &inputs)) return 0;
  if (!stint::RunPasses(graph->get()).ok()) return 0;
  const stint::KernelSite site{stint::DetectIsa(), 1};
  const auto lowered = stint::LowerGraph(**graph, site);
  if (!lowered.ok()) return 0;
  stint::ThreadPool pool(1);
  stint::GraphRunner runner(lowered->get(), site, &pool);
  if (!runner.Prepare().ok()) return 0;
  // A loop may have no end.
  stint::RunLimits limits;
  limits.deadline_ns = stint::NowNs() + 50'000'000;
  const auto outputs = runner.Run(inputs, limits);
  return 0;
}
