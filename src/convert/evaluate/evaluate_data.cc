#include "convert/evaluate/evaluate_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "convert/data/cifar10.h"
#include "convert/data/image_folder.h"
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
    report_.run_ms.push_back(row_ms_);
    row_ms_ = 0;
    ++report_.total;
    if (options_.keep_predictions) {
      char text[64];
      std::snprintf(text, sizeof(text), "%.9g\t%.9g", label, prediction);
      std::string line = text;
      for (float value : raw) {
        std::snprintf(text, sizeof(text), "\t%.9g", static_cast<double>(value));
        line += text;
      }
      report_.predictions.push_back(std::move(line));
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
    predicted_.push_back(best);
    report_.labels.push_back(label);
    report_.correct += best == label;
    report_.right += best == label ? '1' : '0';
    report_.correct_top5 += InTopK(logits, label, 5);
    return Finish(label, best, logits);
  }

  // Of the data set; returns how many of them are evaluated.
  size_t set_rows(size_t rows) {
    rows_ = static_cast<int64_t>(rows);
    if (options_.max_rows > 0) rows_ = std::min(rows_, options_.max_rows);
    return static_cast<size_t>(rows_);
  }
  const std::vector<int>& predicted() const { return predicted_; }
  const std::vector<int>& labels() const { return report_.labels; }
  const EvalModel& model() const { return model_; }
  const EvalOptions& options() const { return options_; }

 private:
  const EvalModel& model_;
  const EvalOptions& options_;
  EvalReport report_;
  std::vector<Value> outputs_;
  int64_t rows_ = 0;
  double row_ms_ = 0;
  std::vector<int> predicted_;
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
Status EvaluateSimilarity(const std::vector<TextExample>& rows, Evaluation* e) {
  const OutputMeaning meaning = e->model().package->meaning;
  if (meaning != OutputMeaning::kRegression &&
      meaning != OutputMeaning::kSentenceEmbedding) {
    return InvalidArgument(
        "stsb needs a regression output or a sentence embedding; an ONNX model "
        "may need --pooling");
  }
  std::vector<double> found;
  std::vector<double> expected;
  for (const TextExample& row : rows) {
    double score = 0;
    if (meaning == OutputMeaning::kRegression) {
      STINT_ASSIGN_OR_RETURN(const auto output, RunText(e, row.text, row.pair));
      score = output[0];
    } else {
      STINT_ASSIGN_OR_RETURN(const auto a, RunText(e, row.text, ""));
      STINT_ASSIGN_OR_RETURN(const auto b, RunText(e, row.pair, ""));
      score = Cosine(a, b);
    }
    found.push_back(score);
    expected.push_back(row.score);
    STINT_RETURN_IF_ERROR(e->Finish(row.score, score, {}));
  }
  e->report().metric = "spearman";
  e->report().value = Spearman(found, expected);
  return OkStatus();
}

Status EvaluateText(GlueTask task, Evaluation* e) {
  STINT_ASSIGN_OR_RETURN(auto rows, ReadGlue(task, e->options().data));
  rows.resize(e->set_rows(rows.size()));
  if (task == GlueTask::kStsb) return EvaluateSimilarity(rows, e);
  if (e->model().package->meaning != OutputMeaning::kClassLogits) {
    return InvalidArgument("task " + e->options().task +
                           " needs a model with class logits");
  }
  for (const TextExample& row : rows) {
    STINT_ASSIGN_OR_RETURN(const auto logits, RunText(e, row.text, row.pair));
    STINT_RETURN_IF_ERROR(e->FinishClass(row.label, logits));
  }
  if (task == GlueTask::kCola) {
    e->report().metric = "matthews";
    e->report().value =
        MatthewsCorrelation(CountConfusion(e->predicted(), e->labels()));
  } else {
    e->report().metric = "accuracy";
    e->report().value = Accuracy(e->predicted(), e->labels());
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
    const size_t rows = e->set_rows(data.size());
    for (size_t i = 0; i < rows; ++i) {
      STINT_RETURN_IF_ERROR(EvaluateImage(data.Picture(i), data.label(i), e));
    }
  } else {
    STINT_ASSIGN_OR_RETURN(const ImageFolder folder,
                           ImageFolder::Open(e->options().data));
    const size_t rows = e->set_rows(folder.size());
    for (size_t i = 0; i < rows; ++i) {
      STINT_ASSIGN_OR_RETURN(const Image image, folder.Decode(i));
      STINT_RETURN_IF_ERROR(EvaluateImage(image, folder.label(i), e));
    }
  }
  e->report().metric = "accuracy";
  e->report().value = Accuracy(e->predicted(), e->labels());
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
