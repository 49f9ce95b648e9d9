#pragma once
// --preprocess and --published: what holds of one model of several.

#include <string>
#include <vector>

#include "lab/stack/stack_study.h"

namespace stint::cli {

// Each is "squeezenet=--channel-order bgr": the name or stem of a model's file,
// and options as `stint eval` has them. kInvalidArgument on others.
Status SetPreprocessing(const std::vector<std::string>& given,
                        StackStudyOptions* stack);

// Each is "squeezenet=57.5%", or 0.575.
Status SetPublished(const std::vector<std::string>& given,
                    StackStudyOptions* stack);

}  // namespace stint::cli
