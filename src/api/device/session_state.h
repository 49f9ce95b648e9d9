#pragma once
// What a session is made of: the model, its runtime, and the way that it runs.

#include <memory>
#include <mutex>
#include <vector>

#include "api/device/runtime_state.h"
#include "api/device/step_recorder.h"
#include "engine/bind/kernel_site.h"
#include "engine/run/executable.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {

struct Session::State {
  State(Model m, Runtime r, Runtime::State* shared, KernelSite where)
      : model(std::move(m)),
        runtime(std::move(r)),
        shared(shared),
        site(std::move(where)) {}
  // Gives its share of the runtime's memory to the others.
  ~State();

  // Makes the executable; `options` are settled and consistent.
  Status Open();
  Result<std::unique_ptr<Executable>> MakeElastic();
  Result<std::unique_ptr<Executable>> MakeFull();
  Result<std::unique_ptr<Executable>> MakePlain();

  // The session's memory budget and the runtime's, where that is less; 0: none.
  int64_t MemoryLimit() const;
  Precision precision() const { return *options.precision; }
  Package* package() { return model.package_.get(); }

  Model model;  // no other model holds its package
  Runtime runtime;
  Runtime::State* shared;
  KernelSite site;
  SessionOptions options;
  // With kAuto: what was tried; empty before the first run.
  std::vector<PrecisionTrial> trials;
  StepRecorder recorder;
  // Null with kAuto before the first run.
  std::unique_ptr<Executable> executable;
};

}  // namespace stint
