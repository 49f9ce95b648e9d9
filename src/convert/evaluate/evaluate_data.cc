#include "convert/evaluate/evaluate_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "convert/data/image/cifar10.h"
#include "convert/data/image/image_folder.h"
#include "convert/data/metrics.h"
#include "core/meter/rank_tests.h"
#include "core/platform/clock.h"
#include "weights/package/text_inputs.h"

namespace stint {
namespace {

// One evaluation under way.
class Evaluation {
 public:
  Evaluation(const EvalModel& model, const EvalOptions& options)
      : model_(model), options_(options) {}

  EvalReport& report() { return report_; }

  // The first output of one run, as floats.
  Result<std::vector<float>> Run(const std::vector<Value>& inputs) {
    const int64_t start = NowNs();
    STINT_RETURN_IF_ERROR(model_.run(inputs, &outputs_));
    row_ms_ += MsSince(start);
    if (outputs_.empty() || !outputs_[0].is_tensor() ||
        outputs_[0].tensor().dtype() != DType::kFloat32 ||
        outputs_[0].tensor().size() == 0) {
      return Unsupported("the model's first output is not a float32 tensor");
    }
    const float* data = outputs_[0].tensor().data<float>();
    return std::vector<float>(data, data + outputs_[0].tensor().size());
  }

  // Ends a row: its time, its prediction, the progress.
  Status Finish(double label, double prediction,
                const std::vector<float>& raw) {
    report_.run_ms.Add(row_ms_);
    row_ms_ = 0;
    ++report_.total;
    if (options_.prediction) {
      STINT_RETURN_IF_ERROR(
          options_.prediction(PredictionLine(label, prediction, raw)));
    }
    if (options_.progress && !options_.progress(report_.total, rows_)) {
      return Cancelled("stopped after " + std::to_string(report_.total) +
                       " rows");
    }
    return OkStatus();
  }

  // A row of a classification task.
  Status FinishClass(int label, const std::vector<float>& logits) {
    const int best = ArgMax(logits);
    confusion_.Add(best, label);
    report_.correct += best == label;
    report_.correct_top5 += InTopK(logits, label, 5);
    if (options_.keep_right) report_.right += best == label ? '1' : '0';
    if (options_.keep_labels) report_.labels.push_back(label);
    return Finish(label, best, logits);
  }

  void SetAccuracy() {
    report_.metric = "accuracy";
    report_.value = report_.total == 0 ? 0
                                       : static_cast<double>(report_.correct) /
                                             static_cast<double>(report_.total);
  }

  // Of the data set; returns how many of them are evaluated.
  int64_t set_rows(int64_t rows) {
    rows_ = rows;
    if (options_.max_rows > 0) rows_ = std::min(rows_, options_.max_rows);
    return rows_;
  }
  const Confusion& confusion() const { return confusion_; }
  const EvalModel& model() const { return model_; }
  const EvalOptions& options() const { return options_; }

 private:
  static std::string PredictionLine(double label, double prediction,
                                    const std::vector<float>& raw) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.9g\t%.9g", label, prediction);
    std::string line = text;
    for (float value : raw) {
      std::snprintf(text, sizeof(text), "\t%.9g", static_cast<double>(value));
      line += text;
    }
    return line;
  }

  const EvalModel& model_;
  const EvalOptions& options_;
  EvalReport report_;
  std::vector<Value> outputs_;
  int64_t rows_ = 0;
  double row_ms_ = 0;
  Confusion confusion_;
};

Result<std::vector<float>> RunText(Evaluation* e, const std::string& text,
                                   const std::string& pair) {
  std::optional<std::string_view> second;
  if (!pair.empty()) second = pair;
  STINT_ASSIGN_OR_RETURN(
      const auto inputs,
      TextInputs(*e->model().package, text, second, e->options().text));
  return e->Run(inputs);
}

double Cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

// Similarity of two sentences: the regression output, or the cosine of two
// embeddings.
Result<double> SimilarityOf(const TextExample& row, Evaluation* e) {
  if (e->model().package->meaning == OutputMeaning::kRegression) {
    STINT_ASSIGN_OR_RETURN(const auto output, RunText(e, row.text, row.pair));
    return output[0];
  }
  STINT_ASSIGN_OR_RETURN(const auto a, RunText(e, row.text, ""));
  STINT_ASSIGN_OR_RETURN(const auto b, RunText(e, row.pair, ""));
  return Cosine(a, b);
}

// Calls `visit` with each row that is wanted.
Status ForEachRow(GlueTask task, Evaluation* e,
                  const std::function<Status(const TextExample& row)>& visit) {
  const std::string& path = e->options().data;
  STINT_ASSIGN_OR_RETURN(const int64_t found,
                         CountGlueRows(task, path, e->options().max_rows));
  const int64_t rows = e->set_rows(found);
  STINT_ASSIGN_OR_RETURN(GlueReader reader, GlueReader::Open(task, path));
  for (int64_t i = 0; i < rows; ++i) {
    STINT_ASSIGN_OR_RETURN(const auto row, reader.Next());
    if (!row.has_value()) return Damaged(path + ": rows are missing by now");
    STINT_RETURN_IF_ERROR(visit(*row));
  }
  return OkStatus();
}

Status EvaluateSimilarity(Evaluation* e) {
  const OutputMeaning meaning = e->model().package->meaning;
  if (meaning != OutputMeaning::kRegression &&
      meaning != OutputMeaning::kSentenceEmbedding) {
    return InvalidArgument(
        "stsb needs a regression output or a sentence embedding; an ONNX model "
        "may need --pooling");
  }
  std::vector<float> found;
  std::vector<float> expected;
  STINT_RETURN_IF_ERROR(
      ForEachRow(GlueTask::kStsb, e, [&](const TextExample& row) -> Status {
        STINT_ASSIGN_OR_RETURN(const double score, SimilarityOf(row, e));
        found.push_back(static_cast<float>(score));
        expected.push_back(static_cast<float>(row.score));
        return e->Finish(row.score, score, {});
      }));
  e->report().metric = "spearman";
  e->report().value =
      Spearman(std::vector<double>(found.begin(), found.end()),
               std::vector<double>(expected.begin(), expected.end()));
  return OkStatus();
}

Status EvaluateText(GlueTask task, Evaluation* e) {
  if (task == GlueTask::kStsb) return EvaluateSimilarity(e);
  if (e->model().package->meaning != OutputMeaning::kClassLogits) {
    return InvalidArgument("task " + e->options().task +
                           " needs a model with class logits");
  }
  STINT_RETURN_IF_ERROR(
      ForEachRow(task, e, [&](const TextExample& row) -> Status {
        STINT_ASSIGN_OR_RETURN(const auto logits,
                               RunText(e, row.text, row.pair));
        return e->FinishClass(row.label, logits);
      }));
  if (task == GlueTask::kCola) {
    e->report().metric = "matthews";
    e->report().value = MatthewsCorrelation(e->confusion());
  } else {
    e->SetAccuracy();
  }
  return OkStatus();
}

Status EvaluateImage(const Image& image, int label, Evaluation* e) {
  STINT_ASSIGN_OR_RETURN(Tensor pixels,
                         Preprocess(std::span(&image, 1), e->options().image));
  const Graph& graph = *e->model().package->graph;
  if (graph.inputs().size() != 1) {
    return InvalidArgument("the model has " +
                           std::to_string(graph.inputs().size()) +
                           " inputs, expected one picture");
  }
  const GraphValue& input = graph.value(graph.inputs()[0]);
  const Shape& declared = input.type.dims;
  for (size_t d = 0; d < declared.size() && input.type.ranked; ++d) {
    if (declared.size() != 4 ||
        (IsKnown(declared[d]) && declared[d] != pixels.shape()[d])) {
      return InvalidArgument("input '" + input.name + "' is " +
                             ToString(input.type, graph.symbols()) +
                             ", the picture is " + ToString(pixels.shape()));
    }
  }
  STINT_ASSIGN_OR_RETURN(const auto logits, e->Run({Value(pixels)}));
  return e->FinishClass(label, logits);
}

Status EvaluateImages(Evaluation* e) {
  if (e->options().task == "cifar10") {
    STINT_ASSIGN_OR_RETURN(
        const Cifar10 data,
        Cifar10::Open(e->options().data, e->options().max_rows));
    const auto rows =
        static_cast<size_t>(e->set_rows(static_cast<int64_t>(data.size())));
    for (size_t i = 0; i < rows; ++i) {
      STINT_RETURN_IF_ERROR(EvaluateImage(data.Picture(i), data.label(i), e));
    }
  } else {
    STINT_ASSIGN_OR_RETURN(const ImageFolder folder,
                           ImageFolder::Open(e->options().data));
    const auto rows =
        static_cast<size_t>(e->set_rows(static_cast<int64_t>(folder.size())));
    for (size_t i = 0; i < rows; ++i) {
      STINT_ASSIGN_OR_RETURN(const Image image, folder.Decode(i));
      STINT_RETURN_IF_ERROR(EvaluateImage(image, folder.label(i), e));
    }
  }
  e->SetAccuracy();
  return OkStatus();
}

}  // namespace

Result<EvalReport> EvaluateData(const EvalModel& model,
                                const EvalOptions& options) {
  Evaluation evaluation(model, options);
  if (const auto task = ParseGlueTask(options.task)) {
    STINT_RETURN_IF_ERROR(EvaluateText(*task, &evaluation));
  } else if (options.task == "cifar10" || options.task == "imagefolder") {
    STINT_RETURN_IF_ERROR(EvaluateImages(&evaluation));
  } else {
    return InvalidArgument("task is '" + options.task +
                           "', expected a GLUE task, cifar10 or imagefolder");
  }
  return std::move(evaluation.report());
}

}  // namespace stint
