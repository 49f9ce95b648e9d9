// Times a model: one line per request on stdin, so that a script can interleave
// it with another runtime. Usage: run_model MODEL THREADS [PRECISION]; each
// input line is a batch, a sequence length and a number of runs; each answer is
// the median and the least milliseconds of those runs.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "core/base/random.h"
#include "core/platform/clock.h"
#include "stint/convert.h"
#include "stint/session.h"

namespace {

using stint::DType;
using stint::Tensor;

// Ids and masks are ones, everything else is uniform in [0, 1).
stint::Result<std::vector<stint::NamedValue>> MakeInputs(
    const stint::Model& model, int64_t batch, int64_t sequence) {
  stint::Random random(1);
  std::vector<stint::NamedValue> inputs;
  for (const stint::ValueInfo& info : model.inputs()) {
    stint::Shape shape = info.shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 0) shape[d] = d == 0 ? batch : sequence;
    }
    STINT_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(info.dtype, shape));
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (info.dtype == DType::kFloat32) {
        tensor.data<float>()[i] = static_cast<float>(random.NextDouble());
      } else if (info.dtype == DType::kInt64) {
        tensor.data<int64_t>()[i] = 1;
      }
    }
    inputs.push_back({info.name, std::move(tensor)});
  }
  return inputs;
}

int Fail(const stint::Status& status) {
  std::fprintf(stderr, "run_model: %s\n", status.message().c_str());
  return 1;
}

int Serve(stint::Session* session) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    int64_t batch = 1, sequence = 1, runs = 1;
    fields >> batch >> sequence >> runs;
    const auto inputs = MakeInputs(session->model(), batch, sequence);
    if (!inputs.ok()) return Fail(inputs.status());
    std::vector<double> times;
    for (int64_t i = 0; i < runs; ++i) {
      const int64_t start = stint::NowNs();
      const auto outputs = session->Run(*inputs);
      if (!outputs.ok()) return Fail(outputs.status());
      times.push_back(stint::MsSince(start));
    }
    std::sort(times.begin(), times.end());
    std::printf("%.4f %.4f\n", times[times.size() / 2], times[0]);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: run_model MODEL THREADS [PRECISION]\n");
    return 2;
  }
  const auto model = stint::ImportModel(argv[1]);
  if (!model.ok()) return Fail(model.status());
  const auto runtime = stint::Runtime::Create({std::atoi(argv[2]), ""});
  if (!runtime.ok()) return Fail(runtime.status());
  stint::SessionOptions options;
  if (argc == 4) options.precision = argv[3];
  auto session = stint::Session::Create(*model, *runtime, options);
  if (!session.ok()) return Fail(session.status());
  return Serve(&*session);
}
