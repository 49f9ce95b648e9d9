#pragma once
// What commands print of a model that they made, ran or looked at, as far as
// other programs of the project read it.

#include <cstdint>

#include "lab/record/json_fields.h"

namespace stint {

// Of `stint compress`.
struct CompressRecord {
  int64_t bytes = 0;  // of the file
  int64_t parameters_before = 0;
  int64_t parameters = 0;
  int64_t zeros = 0;

  template <typename Record, typename Fields>
  static void Visit(Record& record, Fields& fields) {
    fields("bytes", record.bytes);
    fields("parameters_before", record.parameters_before);
    fields("parameters", record.parameters);
    fields("zeros", record.zeros);
  }
};

// Of `stint inspect`.
struct InspectRecord {
  // Nothing where shapes depend on data.
  std::optional<int64_t> macs;

  template <typename Record, typename Fields>
  static void Visit(Record& record, Fields& fields) {
    fields("macs", record.macs);
  }
};

// Of `stint run`.
struct RunRecord {
  double load_ms = 0;
  double run_ms = 0;
  double wall_ms = 0;  // from the start of the process to the answer
  int64_t peak_rss_bytes = 0;

  template <typename Record, typename Fields>
  static void Visit(Record& record, Fields& fields) {
    fields("load_ms", record.load_ms);
    fields("run_ms", record.run_ms);
    fields("wall_ms", record.wall_ms);
    fields("peak_rss_bytes", record.peak_rss_bytes);
  }
};

// A layer of `stint tune`.
struct TunedLayerRecord {
  std::string layer;
  int count = 0;   // of convolutions like it
  int trials = 0;  // schedules that were timed
  double untuned_us = 0;
  double default_us = 0;
  double tuned_us = 0;
  std::string schedule;  // empty: as by default

  template <typename Record, typename Fields>
  static void Visit(Record& record, Fields& fields) {
    fields("layer", record.layer);
    fields("count", record.count);
    fields("trials", record.trials);
    fields("untuned_us", record.untuned_us);
    fields("default_us", record.default_us);
    fields("tuned_us", record.tuned_us);
    fields("schedule", record.schedule);
  }
};

inline constexpr char kLayersKey[] = "layers";  // a list of them

// How many layers the line that `stint tune` printed has a schedule for.
Result<int64_t> CountTuned(const std::string& line);

// One of the above from a line that a command printed; kDamaged, naming the
// key, where one is missing.
template <typename Record>
Result<Record> ParseRecord(const std::string& line) {
  STINT_ASSIGN_OR_RETURN(const Json json, ParseObject(line));
  Record record;
  JsonReader reader(json);
  Record::Visit(record, reader);
  STINT_RETURN_IF_ERROR(reader.status());
  return record;
}

// Adds the keys of the record.
template <typename Record>
void AddRecord(const Record& record, Json* json) {
  JsonWriter writer(json);
  Record::Visit(record, writer);
}

}  // namespace stint
