#pragma once
// A plan and how its budget was kept, as `plan`, `run` and `eval` print them.

#include <cstdint>

#include "lab/record/json_fields.h"
#include "stint/budget.h"

namespace stint {

// "resident" (all in memory), "hidden" (reading hides behind computation) or
// "storage-bound".
std::string RegimeOf(const PlanReport& plan);

Json PlanJson(const PlanReport& plan);

// What a study keeps of that.
struct PlanFigures {
  double bits_mean = 0;
  int64_t stream_bytes = 0;
  int64_t preload_bytes = 0;

  template <typename Record, typename Fields>
  static void Visit(Record& record, Fields& fields) {
    fields("bits_mean", record.bits_mean);
    fields("preload_bytes", record.preload_bytes);
    fields("stream_bytes", record.stream_bytes);
  }
};

// How runs kept their budget.
struct KeptRecord {
  int64_t missed = 0;       // runs that took longer than the latency
  int64_t over_memory = 0;  // times that the process had more than the memory
  int64_t replans = 0;
  double prepare_ms = 0;  // of the last run, before it computed

  static KeptRecord Of(const BudgetCounts& counts) {
    return {counts.missed, counts.over_memory, counts.replans,
            counts.prepare_ms};
  }
  template <typename Record, typename Fields>
  static void Visit(Record& record, Fields& fields) {
    VisitSamples(record, fields);
    fields("over_memory", record.over_memory);
    fields("prepare_ms", record.prepare_ms);
  }
  // What a study keeps.
  template <typename Record, typename Fields>
  static void VisitSamples(Record& record, Fields& fields) {
    fields("missed", record.missed);
    fields("replans", record.replans);
  }
};

}  // namespace stint
