#include "cli/commands/device/device_parts.h"
#include "cli/terminal/progress.h"
#include "engine/device/code_cost_file.h"
#include "engine/profile/time_codes.h"

namespace stint::cli {

Result<std::shared_ptr<const CodeCosts>> MeasuredCodes(
    const RunOptions& options, const std::string& folder, bool refresh) {
  const Isa isa = options.IsaCap();
  const int threads = options.ThreadCount();
  auto costs = LoadCodeCosts(folder, isa, threads);
  if (costs.ok() && !refresh) return costs;
  if (!costs.ok() && costs.status().code() != StatusCode::kNotFound) {
    PrintError("stint: %s; measuring again\n",
               costs.status().message().c_str());
  }
  ThreadPool pool(threads);
  Progress progress("bit planes");
  STINT_ASSIGN_OR_RETURN(
      const CodeCosts measured, TimeCodes(isa, &pool, [&](double done) {
        progress.Update(static_cast<int64_t>(done * 100), 100);
      }));
  STINT_RETURN_IF_ERROR(SaveCodeCosts(folder, isa, threads, measured));
  return LoadCodeCosts(folder, isa, threads);
}

Json CodesToJson(const CodeCosts& costs) {
  Json json = Json::array();
  for (const CodeCosts::Matrix& matrix : costs.matrices()) {
    for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
      Json rows = Json::array();
      Json ns = Json::array();
      for (const CodeCosts::Point& point :
           matrix.points[static_cast<size_t>(bits - kPlaneMinBits)]) {
        rows.push_back(point.rows);
        ns.push_back(point.ns);
      }
      json.push_back({{"k", matrix.k},
                      {"n", matrix.n},
                      {"bits", bits},
                      {"rows", std::move(rows)},
                      {"ns", std::move(ns)}});
    }
  }
  return json;
}

Table CodesTable(const CodeCosts& costs) {
  Table table;
  table.columns = {"matrix", "rows", "us_2_bits", "us_4_bits", "us_8_bits"};
  for (const CodeCosts::Matrix& matrix : costs.matrices()) {
    for (int64_t rows : {1, 16, 128}) {
      const auto us = [&](int bits) {
        return costs.LinearNs(rows, matrix.k, matrix.n, bits) * 1e-3;
      };
      table.rows.push_back(
          {std::to_string(matrix.k) + "x" + std::to_string(matrix.n), rows,
           us(2), us(4), us(8)});
    }
  }
  return table;
}

}  // namespace stint::cli
