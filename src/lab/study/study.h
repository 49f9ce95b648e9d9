#pragma once
// What an experiment is made of: axes give settings, a setting in one round is
// a point, and every point runs in a process of its own.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "stint/status.h"

namespace stint {

// One thing that varies, with its values.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// A value for each of some axes, in the order of the axes.
using Setting = std::vector<std::pair<std::string, std::string>>;

// The value for an axis; empty when the setting has no such axis.
std::string ValueOf(const Setting& setting, const std::string& axis);

// "batch=1 runtime=stint"
std::string ToString(const Setting& setting);

// All combinations; the last axis varies fastest.
std::vector<Setting> CrossAxes(const std::vector<Axis>& axes);

struct Study {
  std::string name;
  // Everything else that its figures depend on, as text. A database holds
  // several studies apart by name and definition.
  std::string definition;
  // Treatments are compared with each other under one condition: in each round
  // they run one after the other.
  std::vector<Setting> conditions;
  std::vector<Setting> treatments;
  // Whether a treatment is part of the study under a condition; empty: all are.
  std::function<bool(const Setting& condition, const Setting& treatment)>
      includes = {};
  // Round 0 runs the treatments in the order given, so that it can check what
  // the later ones measure; rounds `first_round` to `rounds` are in
  // random order.
  bool check_round = true;
  int first_round = 1;  // rounds before it are left out; the others keep order
  int rounds = 1;
  uint64_t seed = 1;
  // Which program runs it, a fact of every point; empty: not said.
  std::string program = {};
};

// Part `number` (from 1) of `parts` of a study, for another machine or time:
// neighboring conditions stay together, so that what is fitted over the last
// axis is of one part. The name, definition and seed stay, so that the parts'
// databases can be merged.
Study TakeShard(const Study& study, int number, int parts);

// "2/5": the second of five. kInvalidArgument on anything else.
struct Shard {
  int number = 1;
  int parts = 1;
};
Result<Shard> ParseShard(const std::string& text);

struct Point {
  int round = 0;
  Setting condition;
  Setting treatment;

  // Identifies the point within its study.
  std::string Key() const;
};

// Every point in the order in which it should run. Conditions are shuffled in
// each round; the orders of the treatments of one condition over the rounds are
// the rows of random cyclic Latin squares, so that over as many rounds as there
// are treatments each stands once at every place.
std::vector<Point> Schedule(const Study& study);

}  // namespace stint
