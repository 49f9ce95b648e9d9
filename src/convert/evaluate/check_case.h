#pragma once
// Conformance cases: a model with inputs and expected outputs on disk, in the
// layout of the ONNX backend tests.

#include <memory>
#include <string>
#include <vector>

#include "convert/evaluate/compare.h"
#include "core/platform/thread_pool.h"
#include "engine/bind/kernel_site.h"
#include "engine/opencl/opencl_device.h"
#include "stint/session.h"

namespace stint {

// One model and its data sets. `model` is model.onnx in the case's folder, or
// a "light" model NAME.onnx beside NAME_output_0.pb without stored inputs.
struct CheckCase {
  std::string name;
  std::string model;
  bool light = false;
};

// The cases at a path: the folder itself, or those found below it.
Result<std::vector<CheckCase>> FindCases(const std::string& path);

enum class CheckOutcome { kPassed, kFailed, kUnsupported, kError };
std::string_view OutcomeName(CheckOutcome outcome);

struct CheckResult {
  CheckOutcome outcome = CheckOutcome::kPassed;
  std::string reason;
  double max_abs_error = 0;
  std::vector<StepChoice> choices;  // for the shapes of the last data set
};

// Where cases run: on the CPU, or on `opencl` where there is one.
struct CheckSite {
  KernelSite kernels;
  ThreadPool* pool = nullptr;
  std::shared_ptr<const OpenClDevice> opencl = nullptr;
};

CheckResult RunCase(const CheckCase& test, const Tolerance& tolerance,
                    const CheckSite& site);

}  // namespace stint
