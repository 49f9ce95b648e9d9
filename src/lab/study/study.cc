#include "lab/study/study.h"

#include <cstdio>
#include <numeric>

#include "core/base/random.h"

namespace stint {
namespace {

std::vector<size_t> Shuffled(size_t count, Random* random) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) {
    std::swap(
        order[i - 1],
        order[static_cast<size_t>(random->NextInt(static_cast<int64_t>(i)))]);
  }
  return order;
}

// Rows of a random cyclic Latin square, then of the next.
class LatinOrder {
 public:
  LatinOrder(size_t count, Random* random) : count_(count), random_(random) {}

  std::vector<size_t> Next() {
    if (shifts_.empty()) {
      symbols_ = Shuffled(count_, random_);
      shifts_ = Shuffled(count_, random_);
    }
    const size_t shift = shifts_.back();
    shifts_.pop_back();
    std::vector<size_t> row;
    for (size_t i = 0; i < count_; ++i) {
      row.push_back(symbols_[(i + shift) % count_]);
    }
    return row;
  }

 private:
  size_t count_;
  Random* random_;
  std::vector<size_t> symbols_;
  std::vector<size_t> shifts_;
};

bool IsIncluded(const Study& study, const Point& point) {
  return !study.includes || study.includes(point.condition, point.treatment);
}

std::vector<Point> CheckRound(const Study& study) {
  std::vector<Point> points;
  for (const Setting& condition : study.conditions) {
    for (const Setting& treatment : study.treatments) {
      const Point point = {0, condition, treatment};
      if (IsIncluded(study, point)) points.push_back(point);
    }
  }
  return points;
}

}  // namespace

std::string ValueOf(const Setting& setting, const std::string& axis) {
  for (const auto& [name, value] : setting) {
    if (name == axis) return value;
  }
  return "";
}

std::string ToString(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) {
    if (!text.empty()) text += ' ';
    text.append(name).append("=").append(value);
  }
  return text;
}

std::vector<Setting> CrossAxes(const std::vector<Axis>& axes) {
  std::vector<Setting> settings = {{}};
  for (const Axis& axis : axes) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const std::string& value : axis.values) {
        longer.push_back(setting);
        longer.back().emplace_back(axis.name, value);
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

Study TakeShard(const Study& study, int number, int parts) {
  Study shard = study;
  const size_t count = study.conditions.size();
  const auto bound = [&](int part) {
    return static_cast<ptrdiff_t>(count * static_cast<size_t>(part) /
                                  static_cast<size_t>(parts));
  };
  shard.conditions.assign(study.conditions.begin() + bound(number - 1),
                          study.conditions.begin() + bound(number));
  return shard;
}

Result<Shard> ParseShard(const std::string& text) {
  Shard shard;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%d/%d%c", &shard.number, &shard.parts,
                  &rest) != 2 ||
      shard.number < 1 || shard.number > shard.parts) {
    return InvalidArgument("shard '" + text +
                           "', expected i/n with i from 1 to n, as in 2/5");
  }
  return shard;
}

std::string Point::Key() const {
  return ToString(condition) + " | " + ToString(treatment) + " | round " +
         std::to_string(round);
}

std::vector<Point> Schedule(const Study& study) {
  std::vector<Point> points;
  if (study.check_round) points = CheckRound(study);
  Random random(study.seed);
  std::vector<LatinOrder> orders(study.conditions.size(),
                                 {study.treatments.size(), &random});
  for (int round = 1; round <= study.rounds; ++round) {
    for (size_t c : Shuffled(study.conditions.size(), &random)) {
      for (size_t t : orders[c].Next()) {
        const Point point = {round, study.conditions[c], study.treatments[t]};
        if (round >= study.first_round && IsIncluded(study, point)) {
          points.push_back(point);
        }
      }
    }
  }
  return points;
}

}  // namespace stint
