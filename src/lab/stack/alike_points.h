#pragma once
// Points of a study across the stack that run by the same kernels, evaluated
// once: most primitives and codes that are forced do not fit every layer.

#include <cstdint>
#include <optional>
#include <string>

#include "lab/record/step_record.h"
#include "lab/stack/stack_study.h"

namespace stint {

// Facts of an outcome: which points run alike, and, of one that was not
// evaluated itself, the primitive and code of the one that was ("direct/
// default").
inline constexpr char kKernelsFact[] = "kernels";
inline constexpr char kAlikeFact[] = "alike";

// Sample of a point whose primitive is forced: how many layers run by it. Of a
// point with the figures of another, its own.
inline constexpr char kForcedSample[] = "forced_layers";

// Of the steps of the model whose checksum is `model`: the same for two points
// when every step has the same kernel and schedule. Empty, which is like no
// other, where a convolution does not say what runs it.
std::string KernelsKey(const std::vector<StepRecord>& steps, uint64_t model);

// How many steps run by the primitive that was forced; nothing where none says
// why it runs as it does.
std::optional<int64_t> CountForced(const std::vector<StepRecord>& steps);

// The outcome of a point of `study` that was evaluated itself and runs as
// `prepared` says: same model, compression, compute and round. Nothing when
// there is none yet.
Result<std::optional<Outcome>> FindAlike(const Study& study, const Point& point,
                                         const Outcome& prepared,
                                         StudyDatabase* database);

// Evaluates a point unless one that runs alike is in the database, whose
// figures it then takes over. `database` outlives the runner.
PointRunner EvaluateOnce(const Study& study, const StackRunners& runners,
                         StudyDatabase* database);

// Evaluates every point itself.
PointRunner EvaluateEach(const StackRunners& runners);

}  // namespace stint
