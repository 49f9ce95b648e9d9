#include "lab/stack/find_flips.h"

#include <algorithm>
#include <map>
#include <set>

namespace stint {
namespace {

constexpr const char* kContestAxes[] = {"primitive", "compression", "code"};
constexpr const char* kOtherAxes[] = {"model", "compression", "primitive",
                                      "code", "compute"};

Setting Without(const Setting& setting, const std::string& axis) {
  Setting rest;
  for (const auto& entry : setting) {
    if (entry.first != axis) rest.push_back(entry);
  }
  return rest;
}

// What is chosen by speed, or fits no layer, is no value of its own.
bool IsValue(const StackRow& row, const std::string& axis) {
  if (axis != "primitive") return true;
  return row.Value(axis) != "auto" && row.forced_layers != 0;
}

void AddRow(const StackReport& report, size_t index, StackContest* contest) {
  const StackRow& row = report.rows[index];
  const auto known =
      std::find(contest->rows.begin(), contest->rows.end(), row.timed_row);
  const auto at = static_cast<size_t>(known - contest->rows.begin());
  if (known == contest->rows.end()) {
    contest->rows.push_back(row.timed_row);
    contest->candidates.push_back({{}, report.rows[row.timed_row].times});
  }
  contest->candidates[at].values.push_back(row.Value(contest->axis));
}

// A contest with what came of it.
struct Judged {
  const StackContest* contest;
  ContestResult result;

  const Candidate& winner() const { return contest->candidates[result.winner]; }
};

std::vector<Judged> JudgeAll(const std::vector<StackContest>& contests) {
  std::map<std::vector<size_t>, ContestResult> known;
  std::vector<Judged> judged;
  for (const StackContest& contest : contests) {
    auto [entry, fresh] = known.try_emplace(contest.rows);
    if (fresh) entry->second = Judge(contest.candidates);
    judged.push_back({&contest, entry->second});
  }
  return judged;
}

// The same axis with one other axis changed, in the order of its values.
using Family = std::vector<const Judged*>;

std::vector<Family> FamiliesAlong(const std::vector<Judged>& judged,
                                  const std::string& axis,
                                  const std::string& other) {
  std::map<Setting, size_t> places;
  std::vector<Family> families;
  for (const Judged& one : judged) {
    if (one.contest->axis != axis) continue;
    const auto [place, fresh] =
        places.try_emplace(Without(one.contest->fixed, other), families.size());
    if (fresh) families.emplace_back();
    families[place->second].push_back(&one);
  }
  // Where the fixed axes make no difference, the same rows meet once more.
  std::set<std::vector<std::vector<size_t>>> seen;
  std::vector<Family> distinct;
  for (Family& family : families) {
    std::vector<std::vector<size_t>> rows;
    for (const Judged* one : family) rows.push_back(one->contest->rows);
    if (seen.insert(rows).second) distinct.push_back(std::move(family));
  }
  return distinct;
}

void AddFlips(const Family& family, const std::string& other,
              StackReport* report) {
  for (size_t i = 0; i < family.size(); ++i) {
    for (size_t j = i + 1; j < family.size(); ++j) {
      const Judged &from = *family[i], &to = *family[j];
      if (from.result.verdict != Verdict::kWon ||
          to.result.verdict != Verdict::kWon ||
          from.winner().SharesValue(to.winner())) {
        continue;
      }
      report->flips.push_back(
          {from.contest->axis, other, Without(from.contest->fixed, other),
           ValueOf(from.contest->fixed, other), from.winner().Name(),
           ValueOf(to.contest->fixed, other), to.winner().Name(),
           from.result.lead, to.result.lead});
    }
  }
}

}  // namespace

std::vector<StackContest> FindContests(const StackReport& report) {
  std::vector<StackContest> contests;
  for (const char* axis : kContestAxes) {
    std::map<Setting, size_t> places;
    std::vector<StackContest> found;
    for (size_t i = 0; i < report.rows.size(); ++i) {
      const StackRow& row = report.rows[i];
      if (!row.ok() || !IsValue(row, axis)) continue;
      const Setting fixed = Without(row.setting, axis);
      const auto [place, fresh] = places.try_emplace(fixed, found.size());
      if (fresh) found.push_back({axis, fixed, {}, {}});
      AddRow(report, i, &found[place->second]);
    }
    for (StackContest& contest : found) {
      if (contest.rows.size() > 1) contests.push_back(std::move(contest));
    }
  }
  return contests;
}

void FindFlips(StackReport* report) {
  const std::vector<StackContest> contests = FindContests(*report);
  const std::vector<Judged> judged = JudgeAll(contests);
  std::set<std::vector<size_t>> counted;
  for (const Judged& one : judged) {
    if (!counted.insert(one.contest->rows).second) continue;
    ++report->contests;
    report->ties += one.result.verdict == Verdict::kTied ? 1 : 0;
    report->undecided += one.result.verdict == Verdict::kUndecided ? 1 : 0;
  }
  for (const char* axis : kContestAxes) {
    for (const char* other : kOtherAxes) {
      if (std::string(axis) == other) continue;
      for (const Family& family : FamiliesAlong(judged, axis, other)) {
        AddFlips(family, other, report);
      }
    }
  }
}

std::vector<size_t> RowsToTime(const StackReport& report, bool first) {
  std::set<size_t> rows;
  if (first) {
    for (const StackRow& row : report.rows) {
      if (row.ok()) rows.insert(row.timed_row);
    }
    return {rows.begin(), rows.end()};
  }
  const std::vector<StackContest> contests = FindContests(report);
  for (const Judged& one : JudgeAll(contests)) {
    if (one.result.verdict != Verdict::kUndecided) continue;
    for (const size_t contender : one.result.contenders) {
      rows.insert(one.contest->rows[contender]);
    }
  }
  return {rows.begin(), rows.end()};
}

}  // namespace stint
