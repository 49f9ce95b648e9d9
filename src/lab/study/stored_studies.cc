#include "lab/study/stored_studies.h"

#include <algorithm>
#include <cctype>

#include "lab/study/statement.h"

namespace stint {
namespace {

constexpr std::string_view kBetween = " | ";
// Facts that say how a study was run; those of single points are not listed.
constexpr const char* kStudyFacts[] = {
    "command", "kernel", "governor", "boost", "no_turbo", "smt", "clocksource"};

// Digits count as numbers: 8MB before 16MB.
bool NaturalLess(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const bool digits = std::isdigit(static_cast<unsigned char>(a[i])) != 0 &&
                        std::isdigit(static_cast<unsigned char>(b[j])) != 0;
    if (!digits) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto end_of = [](const std::string& text, size_t from) {
      const size_t end = text.find_first_not_of("0123456789", from);
      return end == std::string::npos ? text.size() : end;
    };
    const size_t a_end = end_of(a, i), b_end = end_of(b, j);
    if (a_end - i != b_end - j) return a_end - i < b_end - j;
    const int order = a.compare(i, a_end - i, b, j, b_end - j);
    if (order != 0) return order < 0;
    i = a_end, j = b_end;
  }
  return a.size() - i < b.size() - j;
}

// Takes settings off the front of `key` as long as they are among `settings`.
Setting TakeSetting(std::string_view* key, Setting* settings) {
  Setting taken;
  while (!key->starts_with(kBetween)) {
    const auto next = std::find_if(
        settings->begin(), settings->end(), [&](const auto& setting) {
          return key->starts_with(setting.first + "=" + setting.second);
        });
    if (next == settings->end()) return taken;
    key->remove_prefix(next->first.size() + 1 + next->second.size());
    taken.push_back(*next);
    settings->erase(next);
    if (key->starts_with(' ') && !key->starts_with(kBetween)) {
      key->remove_prefix(1);
    }
  }
  key->remove_prefix(kBetween.size());
  return taken;
}

Result<Setting> SettingsOf(sqlite3* database, int64_t point) {
  Statement find(database, "SELECT axis, value FROM setting WHERE point = ?");
  find.Bind(point);
  Setting settings;
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return settings;
    settings.emplace_back(find.Text(0), find.Text(1));
  }
}

// The point whose key this is; the key has the order of the axes, which the
// settings alone do not.
Result<Point> PointOf(sqlite3* database, int64_t id, const std::string& key,
                      int64_t round) {
  STINT_ASSIGN_OR_RETURN(Setting settings, SettingsOf(database, id));
  std::string_view rest = key;
  Point point;
  point.round = static_cast<int>(round);
  point.condition = TakeSetting(&rest, &settings);
  point.treatment = TakeSetting(&rest, &settings);
  if (point.Key() != key) {
    return Damaged("point '" + key + "' has other settings, found '" +
                   point.Key() + "'");
  }
  return point;
}

void AddOnce(const Setting& setting, std::vector<Setting>* list) {
  if (std::find(list->begin(), list->end(), setting) == list->end()) {
    list->push_back(setting);
  }
}

void CountPoint(const Point& point, const std::string& status,
                const std::string& reason, StoredStudy* stored) {
  ++stored->points;
  ++(IsFailure(status) ? stored->failed : stored->done);
  if (!IsFailure(status) && status != "unsupported") return;
  StoredFailure failure{ToString(point.condition), ToString(point.treatment),
                        status, reason, 1};
  for (StoredFailure& known : stored->failures) {
    if (known.condition == failure.condition &&
        known.treatment == failure.treatment && known.status == status &&
        known.reason == reason) {
      ++known.points;
      return;
    }
  }
  stored->failures.push_back(std::move(failure));
}

struct MachineId {
  int64_t id = 0;
  int64_t kind = 0;  // that of the same kind that is not known, or as above
  std::string name;
  std::string host;
};

// Points in the order in which they ended. Round 0 has conditions and
// treatments in the order of the study; without it they are sorted.
Status ReadPoints(sqlite3* database, const MachineId& machine,
                  StoredStudy* stored) {
  Statement find(database,
                 "SELECT id, key, round, status, reason, finished FROM point "
                 "WHERE study = ? AND machine IN (?, ?, 0) ORDER BY id");
  find.Bind(stored->id).Bind(machine.id).Bind(machine.kind);
  Study& study = stored->study;
  study.check_round = false;
  study.rounds = 0;
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) break;
    STINT_ASSIGN_OR_RETURN(
        const Point point,
        PointOf(database, find.Int(0), find.Text(1), find.Int(2)));
    study.check_round = study.check_round || point.round == 0;
    study.rounds = std::max(study.rounds, point.round);
    AddOnce(point.condition, &study.conditions);
    AddOnce(point.treatment, &study.treatments);
    CountPoint(point, find.Text(3), find.Text(4), stored);
    stored->finished = std::max(stored->finished, find.Text(5));
  }
  if (study.check_round) return OkStatus();
  for (auto* list : {&study.conditions, &study.treatments}) {
    std::sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
      return NaturalLess(ToString(a), ToString(b));
    });
  }
  return OkStatus();
}

Status ReadFacts(sqlite3* database, const MachineId& machine,
                 StoredStudy* stored) {
  for (const char* name : kStudyFacts) {
    Statement each(database,
                   "SELECT DISTINCT f.value FROM fact f JOIN point p "
                   "ON p.id = f.point WHERE p.study = ? "
                   "AND p.machine IN (?, ?, 0) AND f.name = ?");
    each.Bind(stored->id)
        .Bind(machine.id)
        .Bind(machine.kind)
        .Bind(std::string_view(name));
    while (true) {
      STINT_ASSIGN_OR_RETURN(const bool row, each.Step());
      if (!row) break;
      if (!each.Text(0).empty()) stored->facts[name].push_back(each.Text(0));
    }
  }
  Statement versions(database,
                     "SELECT DISTINCT s.value, f.value FROM fact f "
                     "JOIN point p ON p.id = f.point JOIN setting s "
                     "ON s.point = p.id AND s.axis = 'runtime' "
                     "WHERE p.study = ? AND p.machine IN (?, ?, 0) "
                     "AND f.name = 'version'");
  versions.Bind(stored->id).Bind(machine.id).Bind(machine.kind);
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, versions.Step());
    if (!row) return OkStatus();
    stored->versions[versions.Text(0)].push_back(versions.Text(1));
  }
}

Status ReadMoments(sqlite3* database, const MachineId& machine,
                   StoredStudy* stored) {
  Statement find(
      database,
      "SELECT (julianday(p.finished) - (SELECT min(julianday(finished)) "
      "FROM point WHERE study = p.study)) * 24, "
      "coalesce(sum(value) FILTER (WHERE name = 'steal_ms'), 0), "
      "coalesce(sum(value) FILTER (WHERE name = 'throttled_ms'), 0), "
      "coalesce(sum(value) FILTER (WHERE name = 'involuntary_switches'), 0), "
      "coalesce(max(value) FILTER (WHERE name = 'mean_watts'), 0) "
      "FROM point p LEFT JOIN sample s ON s.point = p.id "
      "AND s.name IN ('steal_ms', 'throttled_ms', 'involuntary_switches', "
      "'mean_watts') WHERE p.study = ? AND p.machine IN (?, ?, 0) "
      "GROUP BY p.id ORDER BY p.id");
  find.Bind(stored->id).Bind(machine.id).Bind(machine.kind);
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return OkStatus();
    // No machine draws nothing: 0 stands for no meter.
    const double watts = find.Real(4);
    stored->moments.push_back(
        {find.Real(0), find.Real(1), find.Real(2), find.Real(3),
         watts > 0 ? std::optional(watts) : std::nullopt});
  }
}

// Points that do not say go with every machine, those that say the kind alone
// with every machine of it; alone only where there is none.
Result<std::vector<MachineId>> MachinesOf(sqlite3* database, int64_t study) {
  Statement find(database,
                 "SELECT DISTINCT p.machine, coalesce(k.id, p.machine), "
                 "coalesce(m.name, ''), coalesce(m.host, '') FROM point p "
                 "LEFT JOIN machine m ON m.id = p.machine LEFT JOIN machine k "
                 "ON k.name = m.name AND k.host = '' WHERE p.study = ? "
                 "ORDER BY p.machine");
  find.Bind(study);
  std::vector<MachineId> all;
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) break;
    all.push_back({find.Int(0), find.Int(1), find.Text(2), find.Text(3)});
  }
  std::vector<MachineId> machines;
  for (const MachineId& machine : all) {
    const bool is_part =
        std::any_of(all.begin(), all.end(), [&](const MachineId& other) {
          return other.id != machine.id &&
                 (machine.id == 0 || other.kind == machine.id);
        });
    if (!is_part) machines.push_back(machine);
  }
  return machines;
}

}  // namespace

Result<std::vector<StoredStudy>> ReadStudies(StudyDatabase* database) {
  sqlite3* handle = database->handle();
  Statement find(handle,
                 "SELECT id, name, definition, seed, created FROM study "
                 "ORDER BY id");
  std::vector<StoredStudy> all;
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return all;
    STINT_ASSIGN_OR_RETURN(const auto machines,
                           MachinesOf(handle, find.Int(0)));
    for (const MachineId& machine : machines) {
      StoredStudy stored;
      stored.id = find.Int(0);
      stored.study.name = find.Text(1);
      stored.study.definition = find.Text(2);
      stored.study.seed = static_cast<uint64_t>(find.Int(3));
      stored.created = find.Text(4);
      stored.machine = machine.name;
      stored.host = machine.host;
      STINT_RETURN_IF_ERROR(ReadPoints(handle, machine, &stored));
      STINT_RETURN_IF_ERROR(ReadFacts(handle, machine, &stored));
      STINT_RETURN_IF_ERROR(ReadMoments(handle, machine, &stored));
      all.push_back(std::move(stored));
    }
  }
}

}  // namespace stint
