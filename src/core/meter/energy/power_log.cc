#include "core/meter/energy/power_log.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace stint {
namespace {

std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells;
  size_t begin = 0;
  while (true) {
    const size_t end = std::min(line.find(',', begin), line.size());
    std::string cell(line.substr(begin, end - begin));
    cell.erase(0, cell.find_first_not_of(" \t"));
    cell.erase(cell.find_last_not_of(" \t\r") + 1);
    cells.push_back(std::move(cell));
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

struct Columns {
  size_t time = 0;
  size_t value = 0;
  bool total = false;  // joules so far, not watts
};

Result<Columns> FindColumns(const std::vector<std::string>& header) {
  const auto find = [&](const char* name) {
    return static_cast<size_t>(std::find(header.begin(), header.end(), name) -
                               header.begin());
  };
  Columns columns{find("time_s"), find("watts"), false};
  if (columns.value == header.size()) {
    columns.value = find("joules");
    columns.total = true;
  }
  if (columns.time == header.size() || columns.value == header.size()) {
    return Damaged("line 1: no columns time_s and watts (or joules), found '" +
                   header[0].substr(0, 40) + "'...");
  }
  return columns;
}

Result<double> Number(const std::vector<std::string>& cells, size_t column,
                      int64_t line) {
  const std::string text = column < cells.size() ? cells[column] : "";
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) {
    return Damaged("line " + std::to_string(line) + ": '" + text.substr(0, 40) +
                   "', expected a number");
  }
  return value;
}

// Totals become the mean power since the sample before.
void TotalsToPower(PowerLog* log) {
  for (size_t i = log->watts.size(); i > 1; --i) {
    log->watts[i - 1] = (log->watts[i - 1] - log->watts[i - 2]) /
                        (log->seconds[i - 1] - log->seconds[i - 2]);
  }
  if (log->watts.size() > 1) log->watts[0] = log->watts[1];
}

double PowerAt(const PowerLog& log, double moment) {
  const auto above =
      std::lower_bound(log.seconds.begin(), log.seconds.end(), moment);
  const auto i = static_cast<size_t>(above - log.seconds.begin());
  if (i == 0) return log.watts[0];
  const double share =
      (moment - log.seconds[i - 1]) / (log.seconds[i] - log.seconds[i - 1]);
  return log.watts[i - 1] + share * (log.watts[i] - log.watts[i - 1]);
}

}  // namespace

Result<PowerLog> ParsePowerLog(std::string_view text) {
  PowerLog log;
  Columns columns;
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // still being written
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    ++number;
    if (number == 1) {
      STINT_ASSIGN_OR_RETURN(columns, FindColumns(Cells(line)));
      continue;
    }
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::vector<std::string> cells = Cells(line);
    STINT_ASSIGN_OR_RETURN(const double seconds,
                           Number(cells, columns.time, number));
    STINT_ASSIGN_OR_RETURN(const double value,
                           Number(cells, columns.value, number));
    if (!log.seconds.empty() && seconds <= log.seconds.back()) {
      return Damaged("line " + std::to_string(number) + ": time does not grow");
    }
    log.seconds.push_back(seconds);
    log.watts.push_back(value);
  }
  if (number == 0) return Damaged("line 1: no header, expected time_s,watts");
  if (columns.total) TotalsToPower(&log);
  return log;
}

Result<EnergyReading> EnergyBetween(const PowerLog& log, double begin,
                                    double end) {
  if (log.seconds.empty() || log.seconds.front() > begin ||
      log.seconds.back() < end) {
    return NotFound(
        "the log reaches from " +
        std::to_string(log.seconds.empty() ? 0 : log.seconds.front()) + " to " +
        std::to_string(log.seconds.empty() ? 0 : log.seconds.back()) +
        ", expected " + std::to_string(begin) + " to " + std::to_string(end));
  }
  EnergyReading reading;
  reading.seconds = end - begin;
  double time = begin, power = PowerAt(log, begin);
  double least = power, most = power;
  const auto step = [&](double next_time, double next_power) {
    reading.joules += (next_time - time) * (power + next_power) / 2;
    least = std::min(least, next_power);
    most = std::max(most, next_power);
    time = next_time;
    power = next_power;
  };
  for (size_t i = 0; i < log.seconds.size(); ++i) {
    if (log.seconds[i] <= begin || log.seconds[i] >= end) continue;
    step(log.seconds[i], log.watts[i]);
    ++reading.samples;
  }
  step(end, PowerAt(log, end));
  // At each edge the clocks may be off by one sample of the swing.
  const double sample =
      reading.seconds / static_cast<double>(reading.samples + 1);
  reading.joules_error = (most - least) * sample;
  return reading;
}

}  // namespace stint
