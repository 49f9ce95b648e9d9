#include "engine/elastic/importance/check_plans.h"

#include <algorithm>
#include <cmath>

#include "engine/elastic/importance/answer_loss.h"
#include "engine/elastic/make_problem.h"
#include "engine/elastic/mapped_program.h"
#include "engine/plan/policies.h"

namespace stint {
namespace {

// Between these, importance decides where bits go.
constexpr double kComparedBits[] = {2.25, 2.5, 2.75, 3, 3.5};
constexpr double kCheckedBits[] = {2, 2.25, 2.5, 2.75, 3, 3.5, 4, 5, 6};
// Of sub-networks, which are chosen where there is no time for all bits.
constexpr int kSubNetworkBits[] = {3, 8};

// By stage and slice.
using Bits = std::vector<std::vector<int>>;

struct Losses {
  std::vector<double> by_row;
  int same = 0;  // rows with the class of the whole
};

struct Mean {
  double value = 0;
  double error = 0;  // standard
};

Mean MeanOf(const std::vector<double>& rows) {
  const auto n = static_cast<double>(rows.size());
  Mean mean;
  for (double row : rows) mean.value += row / n;
  if (rows.size() < 2) return mean;
  double squares = 0;
  for (double row : rows) squares += (row - mean.value) * (row - mean.value);
  mean.error = std::sqrt(squares / (n - 1) / n);
  return mean;
}

size_t ClassOf(const Tensor& answer) {
  const float* numbers = answer.data<float>();
  return static_cast<size_t>(
      std::max_element(numbers, numbers + answer.size()) - numbers);
}

// Every shard as sensitive for its size as any other.
ShardCatalog AllAlike(ShardCatalog catalog) {
  double found = 0, expected = 0;
  const auto groups = static_cast<size_t>(catalog.groups());
  for (size_t l = 0; l < catalog.layers.size(); ++l) {
    CatalogLayer& layer = catalog.layers[l];
    for (size_t i = 0; i < layer.importance.size(); ++i) {
      const auto slice = static_cast<int>(i / groups);
      const auto group = static_cast<int>(i % groups);
      const double size =
          static_cast<double>(SliceBytes(catalog.layout.layers[l], slice, 0));
      const double loss =
          size * ShardDistortion(layer, slice, group + kPlaneMinBits);
      if (group == 0) found += static_cast<double>(layer.importance[i]);
      if (group == 0) expected += loss;
      layer.importance[i] = static_cast<float>(loss);
    }
  }
  const double scale = expected > 0 ? found / expected : 0;
  for (CatalogLayer& layer : catalog.layers) {
    for (float& loss : layer.importance) {
      loss = static_cast<float>(static_cast<double>(loss) * scale);
    }
  }
  return catalog;
}

class PlanChecker {
 public:
  PlanChecker(const PlanCheckJob& job, ShardCatalog catalog)
      : job_(job), catalog_(std::move(catalog)) {}

  Result<ShardCatalog> Run() {
    STINT_ASSIGN_OR_RETURN(
        program_, MappedProgram::Open(job_.package, job_.site, job_.pool));
    STINT_RETURN_IF_ERROR(AnswerAll());
    STINT_ASSIGN_OR_RETURN(const bool worse, IsWorseThanAlike());
    if (worse) catalog_ = AllAlike(std::move(catalog_));
    catalog_.checks.clear();
    catalog_.check_rows = static_cast<int>(job_.samples.size());
    for (double bits : kCheckedBits) {
      if (bits > catalog_.bits) break;
      STINT_ASSIGN_OR_RETURN(const Bits planned, BitsFor(catalog_, bits));
      STINT_RETURN_IF_ERROR(Check(-1, planned));
    }
    for (size_t n = 0; n < catalog_.sub_networks.size(); ++n) {
      STINT_RETURN_IF_ERROR(CheckSubNetwork(static_cast<int>(n)));
    }
    return std::move(catalog_);
  }

 private:
  // With all bits.
  Status AnswerAll() {
    for (const std::vector<Value>& sample : job_.samples) {
      STINT_ASSIGN_OR_RETURN(const Tensor answer, program_->Answer(sample));
      STINT_ASSIGN_OR_RETURN(Tensor copy, answer.Clone());
      reference_.push_back(std::move(copy));
    }
    return OkStatus();
  }

  bool OfClasses() const {
    return catalog_.importance == ImportanceKind::kLabels ||
           job_.package->meaning == OutputMeaning::kClassLogits;
  }

  Result<Losses> Measure(const Bits& bits) {
    program_->SetBits(bits);
    Losses losses;
    for (size_t i = 0; i < job_.samples.size(); ++i) {
      STINT_ASSIGN_OR_RETURN(const Tensor answer,
                             program_->Answer(job_.samples[i]));
      if (answer.size() != reference_[i].size() || answer.size() == 0) {
        return Unsupported("answers differ in size");
      }
      const double loss = OfClasses() ? ClassLoss(reference_[i], answer)
                                      : AnswerLoss(job_.package->meaning,
                                                   reference_[i], answer);
      if (!std::isfinite(loss)) return Unsupported("answers are not finite");
      losses.by_row.push_back(loss);
      losses.same += ClassOf(answer) == ClassOf(reference_[i]) ? 1 : 0;
    }
    return losses;
  }

  // What the planner makes of so many bits, of the whole network.
  Result<Bits> BitsFor(const ShardCatalog& catalog, double mean_bits) const {
    ProblemInputs inputs;
    inputs.catalog = &catalog;
    const CodedLayers& layers = program_->layers();
    for (int s = 0; s < layers.stages(); ++s) {
      inputs.layers.push_back(layers.layer(s));
    }
    inputs.costs.stages.resize(inputs.layers.size());
    inputs.read.points = {{0, 0.0}};
    PlanProblem problem = MakeProblem(inputs);
    problem.sub_models.clear();
    STINT_ASSIGN_OR_RETURN(
        const Plan plan,
        MakePlanBy("mean:" + std::to_string(mean_bits), problem));
    Bits bits;
    for (size_t s = 0; s < plan.layers.size(); ++s) {
      std::vector<int>& slices = bits.emplace_back();
      for (int i = 0; i < problem.layers[s].slices(); ++i) {
        slices.push_back(BitsOf(problem.layers[s], plan.layers[s], i));
      }
    }
    return bits;
  }

  // Row by row, summed over all compared bits.
  Result<bool> IsWorseThanAlike() {
    const ShardCatalog alike = AllAlike(catalog_);
    std::vector<double> worse(job_.samples.size(), 0.0);
    for (double mean : kComparedBits) {
      if (mean > catalog_.bits) break;
      STINT_ASSIGN_OR_RETURN(const Bits ours, BitsFor(catalog_, mean));
      STINT_ASSIGN_OR_RETURN(const Losses by_importance, Measure(ours));
      STINT_ASSIGN_OR_RETURN(const Bits same, BitsFor(alike, mean));
      STINT_ASSIGN_OR_RETURN(const Losses by_size, Measure(same));
      for (size_t i = 0; i < worse.size(); ++i) {
        worse[i] += by_importance.by_row[i] - by_size.by_row[i];
      }
    }
    const Mean mean = MeanOf(worse);
    return mean.value > mean.error;
  }

  Status Check(int sub_network, const Bits& bits) {
    STINT_ASSIGN_OR_RETURN(const Losses losses, Measure(bits));
    PlanCheck& check = catalog_.checks.emplace_back();
    check.sub_network = sub_network;
    for (const ShardLayer& layer : catalog_.layout.layers) {
      check.bits.emplace_back(static_cast<size_t>(layer.slices), uint8_t{0});
    }
    for (size_t s = 0; s < bits.size(); ++s) {
      const int layer = program_->layers().layer(static_cast<int>(s));
      std::copy(bits[s].begin(), bits[s].end(),
                check.bits[static_cast<size_t>(layer)].begin());
    }
    const Mean loss = MeanOf(losses.by_row);
    check.loss = static_cast<float>(loss.value);
    check.error = static_cast<float>(loss.error);
    check.same = OfClasses() ? static_cast<float>(losses.same) /
                                   static_cast<float>(losses.by_row.size())
                             : -1.0f;
    return OkStatus();
  }

  Status CheckSubNetwork(int number) {
    STINT_RETURN_IF_ERROR(
        program_->Use(&catalog_.sub_networks[static_cast<size_t>(number)]));
    const CodedLayers& layers = program_->layers();
    for (int b : kSubNetworkBits) {
      Bits bits;
      for (int s = 0; s < layers.stages(); ++s) {
        bits.emplace_back(static_cast<size_t>(layers.slices(s)),
                          std::min(b, catalog_.bits));
      }
      STINT_RETURN_IF_ERROR(Check(number, bits));
    }
    return OkStatus();
  }

  const PlanCheckJob& job_;
  ShardCatalog catalog_;
  std::unique_ptr<MappedProgram> program_;
  std::vector<Tensor> reference_;
};

}  // namespace

Result<ShardCatalog> CheckPlans(const PlanCheckJob& job, ShardCatalog catalog) {
  if (job.samples.empty()) return InvalidArgument("there are no samples");
  if (catalog.importance == ImportanceKind::kNone) {
    return InvalidArgument("importance has not been measured");
  }
  return PlanChecker(job, std::move(catalog)).Run();
}

}  // namespace stint
