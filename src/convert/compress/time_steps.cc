#include "convert/compress/time_steps.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace stint {
namespace {

constexpr std::string_view kConversions[] = {"QuantizeImage", "DequantizeImage",
                                             "FromBlocked", "ToBlocked"};

}  // namespace

bool IsConversion(const TimedStep& step) {
  return std::count(std::begin(kConversions), std::end(kConversions), step.op) >
         0;
}

std::vector<Value> FirstRow(const std::vector<Value>& sample) {
  std::vector<Value> row;
  for (const Value& value : sample) {
    const Tensor& all = value.tensor();
    Shape shape = all.shape();
    if (shape.empty() || shape[0] <= 1) {
      row.push_back(value);
      continue;
    }
    shape[0] = 1;
    auto first = Tensor::Allocate(all.dtype(), shape);
    if (!first.ok()) return sample;
    std::memcpy(first->raw(), all.raw(), first->bytes());
    row.emplace_back(std::move(first).value());
  }
  return row;
}

Result<std::vector<TimedStep>> TimeSteps(const std::vector<Value>& row,
                                         int runs, Session* session) {
  std::vector<Value> outputs;
  std::vector<TimedStep> least;
  for (int run = 0; run <= runs; ++run) {
    STINT_RETURN_IF_ERROR(session->RunInto(row, &outputs));
    if (run == 0) continue;  // packs weights
    const std::vector<StepTime> times = session->StepTimes();
    least.resize(times.size());
    for (size_t i = 0; i < times.size(); ++i) {
      const double us = times[i].end_us - times[i].start_us;
      if (run == 1 || us < least[i].us) {
        least[i] = {times[i].node, times[i].op, us};
      }
    }
  }
  return least;
}

}  // namespace stint
