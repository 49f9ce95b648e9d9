#include "engine/elastic/importance/measure_importance.h"

#include <algorithm>
#include <cmath>

#include "core/base/checksum.h"
#include "engine/elastic/importance/answer_loss.h"
#include "engine/elastic/journal.h"
#include "engine/elastic/mapped_program.h"

namespace stint {
namespace {

// The lowest fidelities are measured: above them hardly anything is lost.
constexpr int kMostMeasured = 4;

class ImportanceMeter {
 public:
  explicit ImportanceMeter(const ImportanceJob& job)
      : job_(job),
        catalog_(job.package->shards->catalog),
        journal_(job.journal, Head()) {}

  Result<ShardCatalog> Run() {
    STINT_ASSIGN_OR_RETURN(
        program_, MappedProgram::Open(job_.package, job_.site, job_.pool));
    CountWork();
    STINT_RETURN_IF_ERROR(MeasureReference());
    STINT_RETURN_IF_ERROR(MeasureShards());
    STINT_RETURN_IF_ERROR(MeasureTogether());
    STINT_RETURN_IF_ERROR(MeasureSubNetworks());
    ShardCatalog catalog = catalog_;
    Fill(&catalog);
    journal_.Remove();
    return catalog;
  }

 private:
  // Tells one job's journal from another's.
  std::string Head() const {
    uint64_t sum = FingerprintOf(catalog_);
    for (const auto& sample : job_.samples) {
      for (const Value& value : sample) {
        if (!value.is_tensor()) continue;
        const Tensor& t = value.tensor();
        sum = sum * 31 +
              Checksum({static_cast<const uint8_t*>(t.raw()), t.bytes()});
      }
    }
    for (int label : job_.labels) {
      sum = sum * 31 + static_cast<uint64_t>(label) + 1;
    }
    return "importance " + std::to_string(sum) + " " +
           std::to_string(job_.labels.size());
  }

  // The highest fidelity, but for one shard.
  struct Lowered {
    int stage;
    int slice;
    int bits;
  };
  void SetBits(const Lowered& lowered) {
    const CodedLayers& layers = program_->layers();
    std::vector<std::vector<int>> bits;
    for (int s = 0; s < layers.stages(); ++s) {
      std::vector<int>& of = bits.emplace_back(
          static_cast<size_t>(layers.slices(s)), catalog_.bits);
      if (lowered.stage == s)
        of[static_cast<size_t>(lowered.slice)] = lowered.bits;
    }
    program_->SetBits(bits);
  }

  void CountWork() {
    const CodedLayers& layers = program_->layers();
    total_ = 1 + MostMeasured() - kPlaneMinBits + 1 +
             static_cast<int64_t>(catalog_.sub_networks.size());
    for (int s = 0; s < layers.stages(); ++s) {
      total_ += layers.slices(s) * (MostMeasured() - kPlaneMinBits + 1);
    }
  }
  int MostMeasured() const { return std::min(kMostMeasured, catalog_.bits); }
  void Advance() {
    if (job_.progress) job_.progress(++done_, total_);
  }

  Result<Tensor> Answer(size_t sample) {
    return program_->Answer(job_.samples[sample]);
  }

  Status MeasureReference() {
    for (size_t i = 0; i < job_.samples.size(); ++i) {
      STINT_ASSIGN_OR_RETURN(const Tensor answer, Answer(i));
      if (!job_.labels.empty() && job_.labels[i] >= answer.size()) {
        return InvalidArgument("sample " + std::to_string(i) + " has class " +
                               std::to_string(job_.labels[i]) +
                               ", the model has " +
                               std::to_string(answer.size()) + " classes");
      }
      STINT_ASSIGN_OR_RETURN(Tensor copy, answer.Clone());
      reference_.push_back(std::move(copy));
    }
    Advance();
    return OkStatus();
  }

  // Mean over the samples, with what is set now.
  Result<double> Measure(const std::string& name) {
    if (const double* known = journal_.Find(name)) {
      Advance();
      return *known;
    }
    double answers = 0, labels = 0;
    for (size_t i = 0; i < job_.samples.size(); ++i) {
      STINT_ASSIGN_OR_RETURN(const Tensor answer, Answer(i));
      if (job_.labels.empty()) {
        answers += AnswerLoss(job_.package->meaning, reference_[i], answer);
      } else {
        answers += ClassLoss(reference_[i], answer);
        labels += LabelLoss(reference_[i], answer, job_.labels[i]);
      }
    }
    const double sum =
        job_.labels.empty() ? answers : (answers + std::max(0.0, labels)) / 2;
    const double mean = sum / static_cast<double>(job_.samples.size());
    if (!std::isfinite(mean)) {
      return Unsupported("answers are not finite, with " + name);
    }
    STINT_RETURN_IF_ERROR(journal_.Add(name, mean));
    Advance();
    return mean;
  }

  Status MeasureShards() {
    const CodedLayers& layers = program_->layers();
    for (int s = 0; s < layers.stages(); ++s) {
      losses_.emplace_back();
      for (int i = 0; i < layers.slices(s); ++i) {
        std::vector<double>& of = losses_.back().emplace_back();
        for (int b = kPlaneMinBits; b <= MostMeasured(); ++b) {
          SetBits({s, i, b});
          STINT_ASSIGN_OR_RETURN(
              const double loss,
              Measure("layer" + std::to_string(layers.layer(s)) + "-slice" +
                      std::to_string(i) + "-bits" + std::to_string(b)));
          of.push_back(loss);
        }
      }
    }
    for (int s = 0; s < layers.stages(); ++s) {
      stages_.push_back(layers.layer(s));
    }
    return OkStatus();
  }

  Status MeasureTogether() {
    for (int b = kPlaneMinBits; b <= MostMeasured(); ++b) {
      program_->SetBits(b);
      STINT_ASSIGN_OR_RETURN(const double loss,
                             Measure("all-bits" + std::to_string(b)));
      together_.push_back(loss);
    }
    return OkStatus();
  }

  Status MeasureSubNetworks() {
    for (size_t i = 0; i < catalog_.sub_networks.size(); ++i) {
      STINT_RETURN_IF_ERROR(program_->Use(&catalog_.sub_networks[i]));
      STINT_ASSIGN_OR_RETURN(const double loss,
                             Measure("network" + std::to_string(i)));
      networks_.push_back(loss);
    }
    return OkStatus();
  }

  // Losses of shards at a fidelity are scaled so that they add up to the loss
  // of all of them there.
  double ScaleOf(size_t fidelity) const {
    double sum = 0;
    for (const auto& stage : losses_) {
      for (const auto& slice : stage) sum += slice[fidelity];
    }
    return sum > 0 && together_[fidelity] > 0 ? together_[fidelity] / sum : 1;
  }

  void Fill(ShardCatalog* catalog) const {
    catalog->importance = job_.labels.empty() ? ImportanceKind::kDistortion
                                              : ImportanceKind::kLabels;
    for (size_t l = 0; l < catalog->layers.size(); ++l) {
      const int slices = catalog->layout.layers[l].slices;
      catalog->layers[l].importance.assign(
          static_cast<size_t>(slices * catalog->groups()), 0.0f);
    }
    for (size_t s = 0; s < losses_.size(); ++s) {
      CatalogLayer& layer = catalog->layers[static_cast<size_t>(stages_[s])];
      for (size_t i = 0; i < losses_[s].size(); ++i) {
        for (int g = 0; g < catalog->groups(); ++g) {
          layer.importance[i * static_cast<size_t>(catalog->groups()) +
                           static_cast<size_t>(g)] =
              static_cast<float>(LossAt(layer, s, i, g));
        }
      }
    }
    for (size_t i = 0; i < networks_.size(); ++i) {
      catalog->sub_networks[i].loss = static_cast<float>(networks_[i]);
    }
  }

  double LossAt(const CatalogLayer& layer, size_t stage, size_t slice,
                int group) const {
    const std::vector<double>& measured = losses_[stage][slice];
    const size_t at = std::min(static_cast<size_t>(group), measured.size() - 1);
    const double loss = measured[at] * ScaleOf(at);
    const int bits = group + kPlaneMinBits;
    if (static_cast<size_t>(group) == at) return loss;
    const double most =
        ShardDistortion(layer, static_cast<int>(slice), MostMeasured());
    const double less = ShardDistortion(layer, static_cast<int>(slice), bits);
    return most > 0 ? loss * less / most : 0;
  }

  const ImportanceJob& job_;
  const ShardCatalog& catalog_;
  Journal journal_;
  std::unique_ptr<MappedProgram> program_;
  std::vector<Tensor> reference_;
  std::vector<int> stages_;  // by stage of the whole: number of its layer
  std::vector<std::vector<std::vector<double>>> losses_;  // stage, slice, bits
  std::vector<double> together_;                          // by bits
  std::vector<double> networks_;
  int64_t done_ = 0;
  int64_t total_ = 0;
};

}  // namespace

Result<ShardCatalog> MeasureImportance(const ImportanceJob& job) {
  if (job.package->shards == nullptr) {
    return InvalidArgument("the model is not an elastic file");
  }
  if (job.samples.empty()) return InvalidArgument("there are no samples");
  if (!job.labels.empty() && job.labels.size() != job.samples.size()) {
    return InvalidArgument(std::to_string(job.labels.size()) + " labels for " +
                           std::to_string(job.samples.size()) + " samples");
  }
  if (std::any_of(job.labels.begin(), job.labels.end(),
                  [](int label) { return label < 0; })) {
    return InvalidArgument("a class below 0");
  }
  return ImportanceMeter(job).Run();
}

}  // namespace stint
