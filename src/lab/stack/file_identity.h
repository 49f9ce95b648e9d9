#pragma once
// Files of a study by what is in them: a model is the same point, and data the
// same study, wherever the file lies.

#include <string>

#include "lab/stack/stack_study.h"

namespace stint {

// Of a file, with external data that lies beside it, or of all files of a
// folder by name and content: 12 digits.
Result<std::string> ContentHash(const std::string& path);

// Names models after their files, contents and preprocessing
// ("resnet20.onnx@0123456789ab"), which makes their values on the axis; says
// where they are (`files`) and what data and calibration hold.
Status IdentifyFiles(StackStudyOptions* options);

// Models whose content a study in the database has under another name get that
// name.
Status TakeKnownNames(const Study& study, StudyDatabase* database,
                      StackStudyOptions* options);

// The file of a value on the axis of models; the value where it is not named
// by content.
std::string FileOfModel(const StackStudyOptions& options,
                        const std::string& model);

// What comes after the last '@'; the whole name where there is none.
std::string ContentOf(const std::string& model);

}  // namespace stint
