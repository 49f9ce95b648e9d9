#pragma once
// One way to compress a model, ready to run: what it answers and how long its
// steps take.

#include <map>
#include <string>
#include <vector>

#include "convert/compress/time_steps.h"
#include "stint/compress.h"
#include "stint/runtime.h"
#include "stint/session.h"

namespace stint {

struct AttemptOptions {
  CompressOptions compress;
  std::string precision = "fp32";  // of layers that are not in int8
};

class Attempt {
 public:
  // Keeps the compressor's samples; it must live longer.
  static Result<Attempt> Make(const AttemptOptions& options,
                              const Runtime& runtime, Compressor* compressor);

  const Model& model() const { return model_; }  // as it would be exported
  Session& session() { return *session_; }
  const Session& session() const { return *session_; }

  // The model as sessions run it.
  Result<Model> Fused() const { return OptimizeModel(model_); }
  // Makes the session anew, by what is known of the machine by now.
  Status Reopen(const Runtime& runtime);
  // Gives back what the session holds: packed weights, activations of the
  // shapes it has met. There is none until Reopen.
  void Close() { session_.reset(); }

  // The first output for all samples, row after row.
  Result<std::vector<float>> Answers(
      const std::vector<std::vector<Value>>& samples);

  // The least time of several runs on one row, by step.
  Result<std::vector<TimedStep>> Profile();

 private:
  Attempt(Model model, std::string precision, const Compressor* compressor)
      : model_(std::move(model)),
        precision_(std::move(precision)),
        compressor_(compressor) {}

  Model model_;
  std::string precision_;
  std::unique_ptr<Session> session_;
  const Compressor* compressor_;
};

// Answers to pictures that a network was trained on are sure, and stay so while
// it gets worse at others: softened, they show more of it.
inline constexpr double kAnswerTemperature = 4;

// How far answers are from those of the original: the mean over rows of
// `classes` numbers of the divergence of their softmax (Kullback-Leibler, in
// nats) at kAnswerTemperature, times its square. Of probabilities the
// logarithms count.
double AnswerLoss(const std::vector<float>& original,
                  const std::vector<float>& answers, size_t classes);

}  // namespace stint
