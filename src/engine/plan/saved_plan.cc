#include "engine/plan/saved_plan.h"

#include <charconv>
#include <cstdio>
#include <sstream>

#include "engine/plan/predict.h"

namespace stint {
namespace {

constexpr char kUnitLetters[] = {'-', 's', 'p'};  // by UnitUse
constexpr int64_t kLongestNs = 1'000'000'000'000'000'000;
// No model has as many; more lines are damage.
constexpr size_t kMostLayers = 100'000;

template <typename Number>
bool Parse(std::string_view text, int base, Number* number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *number, base);
  return error == std::errc() && end == text.data() + text.size();
}

// A whole number that is not negative.
bool ParseCount(std::string_view text, int64_t* number) {
  return Parse(text, 10, number) && *number >= 0;
}

bool ParseLayer(std::string_view text, LayerPlan* layer) {
  layer->units.emplace_back();
  for (char letter : text) {
    if (letter == ' ') {
      layer->units.emplace_back();
    } else if (letter == '-') {
      layer->units.back().push_back(UnitUse::kUnused);
    } else if (letter == 's') {
      layer->units.back().push_back(UnitUse::kStreamed);
    } else if (letter == 'p') {
      layer->units.back().push_back(UnitUse::kPinned);
    } else {
      return false;
    }
  }
  return true;
}

bool ParseLine(std::string_view name, std::string_view value,
               SavedPlan* saved) {
  Plan& plan = saved->plan;
  if (name == "model") return Parse(value, 16, &saved->model);
  if (name == "policy") {
    plan.policy = value;
    return !value.empty();
  }
  if (name == "sub-model") {
    return Parse(value, 10, &plan.sub_model) && plan.sub_model >= -1;
  }
  if (name == "input-elements") {
    return ParseCount(value, &saved->input_elements);
  }
  if (name == "memory-bytes") return ParseCount(value, &saved->memory_bytes);
  if (name == "fixed-bytes") return ParseCount(value, &saved->fixed_bytes);
  if (name == "ring-bytes") return ParseCount(value, &plan.ring_bytes);
  if (name == "overlaps") {
    plan.overlaps = value == "1";
    return value == "0" || value == "1";
  }
  if (name == "latency-ns") {
    int64_t ns = 0;
    if (!ParseCount(value, &ns) || ns > kLongestNs) return false;
    plan.predicted.latency_ns = static_cast<double>(ns);
    return true;
  }
  if (name == "layer" && plan.layers.size() < kMostLayers) {
    return ParseLayer(value, &plan.layers.emplace_back());
  }
  return false;
}

Status WrongLine(int number, std::string_view line) {
  return Damaged("plan: line " + std::to_string(number) +
                 " is wrong: " + std::string(line.substr(0, 80)));
}

Status DoesNotFit(size_t layer, const std::string& what) {
  return InvalidArgument("plan: layer " + std::to_string(layer) + ": " + what);
}

// Groups that a slice has in use must be the first ones.
Status CheckBits(size_t number, const PlanLayer& layer, const LayerPlan& plan) {
  for (int slice = 0; slice < layer.slices(); ++slice) {
    const int groups = BitsOf(layer, plan, slice) - 1;
    for (size_t g = 0; g < layer.groups.size(); ++g) {
      for (size_t u = 0; u < layer.groups[g].size(); ++u) {
        const PlanUnit& unit = layer.groups[g][u];
        if (slice < unit.first_slice ||
            slice >= unit.first_slice + unit.slices ||
            plan.units[g][u] == UnitUse::kUnused) {
          continue;
        }
        if (static_cast<int>(g) >= groups) {
          return DoesNotFit(number, "bit planes of slice " +
                                        std::to_string(slice) + " with a gap");
        }
      }
    }
    if (groups < 1) {
      return DoesNotFit(number,
                        "slice " + std::to_string(slice) + " has no bits");
    }
  }
  return OkStatus();
}

Status CheckLayer(size_t number, const PlanLayer& layer,
                  const LayerPlan& plan) {
  if (plan.units.size() != layer.groups.size()) {
    return DoesNotFit(number, std::to_string(plan.units.size()) +
                                  " groups, the model has " +
                                  std::to_string(layer.groups.size()));
  }
  for (size_t g = 0; g < layer.groups.size(); ++g) {
    if (plan.units[g].size() != layer.groups[g].size()) {
      return DoesNotFit(number, std::to_string(plan.units[g].size()) +
                                    " units in group " + std::to_string(g) +
                                    ", the model has " +
                                    std::to_string(layer.groups[g].size()));
    }
  }
  return CheckBits(number, layer, plan);
}

}  // namespace

std::string ToText(const SavedPlan& saved) {
  const Plan& plan = saved.plan;
  char model[32];
  std::snprintf(model, sizeof(model), "%016llx",
                static_cast<unsigned long long>(saved.model));
  std::ostringstream out;
  out << "stint-plan 1\nmodel " << model << "\npolicy " << plan.policy
      << "\nsub-model " << plan.sub_model << "\ninput-elements "
      << saved.input_elements << "\nmemory-bytes " << saved.memory_bytes
      << "\nfixed-bytes " << saved.fixed_bytes << "\nring-bytes "
      << plan.ring_bytes << "\noverlaps " << plan.overlaps << "\nlatency-ns "
      << static_cast<int64_t>(plan.predicted.latency_ns) << '\n';
  for (const LayerPlan& layer : plan.layers) {
    out << "layer";
    for (const std::vector<UnitUse>& group : layer.units) {
      out << ' ';
      for (UnitUse use : group) out << kUnitLetters[static_cast<int>(use)];
    }
    out << '\n';
  }
  out << "end\n";
  return out.str();
}

Result<SavedPlan> ParseSavedPlan(std::string_view text) {
  SavedPlan saved;
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != "stint-plan 1") {
    return Damaged("plan: the first line is not 'stint-plan 1'");
  }
  for (int number = 2; std::getline(lines, line); ++number) {
    if (line == "end") {
      if (saved.plan.layers.empty() || saved.plan.policy.empty()) {
        return Damaged("plan: lines are missing before 'end'");
      }
      return saved;
    }
    const size_t space = line.find(' ');
    if (space == std::string::npos ||
        !ParseLine(std::string_view(line).substr(0, space),
                   std::string_view(line).substr(space + 1), &saved)) {
      return WrongLine(number, line);
    }
  }
  return Damaged("plan: ends before 'end'");
}

Status CheckPlanFor(const PlanProblem& problem, const Plan& plan) {
  if (plan.layers.size() != problem.layers.size()) {
    return InvalidArgument("plan: " + std::to_string(plan.layers.size()) +
                           " layers, the model has " +
                           std::to_string(problem.layers.size()));
  }
  for (size_t s = 0; s < plan.layers.size(); ++s) {
    STINT_RETURN_IF_ERROR(CheckLayer(s, problem.layers[s], plan.layers[s]));
  }
  const int64_t least = LeastRingBytes(problem, plan.layers);
  if (plan.ring_bytes < least || plan.ring_bytes % 4096 != 0) {
    return InvalidArgument(
        "plan: a ring of " + std::to_string(plan.ring_bytes) +
        " bytes, expected whole pages and at least " + std::to_string(least));
  }
  return OkStatus();
}

}  // namespace stint
