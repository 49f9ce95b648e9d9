#include <cmath>

#include "lab/report/sections.h"
#include "lab/report/study_json.h"
#include "lab/report/write_report.h"

namespace stint {
namespace {

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* MarkName(PlotMark mark) {
  switch (mark) {
    case PlotMark::kLine:
      return "line";
    case PlotMark::kDots:
      return "dots";
    case PlotMark::kStars:
      return "stars";
    case PlotMark::kDashes:
      return "dashes";
    case PlotMark::kBand:
      return "band";
  }
  return "";
}

bool CanShow(double value, const PlotAxis& axis) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

Json PointsJson(const Plot& plot, const PlotSeries& series) {
  const PlotAxis& along = plot.rows.empty() ? plot.y : plot.x;
  Json points = Json::array();
  for (const PlotPoint& point : series.points) {
    if (!CanShow(point.x, plot.x) || !CanShow(point.y, plot.y)) continue;
    Json json = {{"x", point.x}, {"y", point.y}};
    if (point.low && point.high && CanShow(*point.low, along) &&
        CanShow(*point.high, along)) {
      json["low"] = *point.low;
      json["high"] = *point.high;
    } else if (series.mark == PlotMark::kBand) {
      continue;
    }
    if (point.x_low && point.x_high && CanShow(*point.x_low, plot.x) &&
        CanShow(*point.x_high, plot.x)) {
      json["x_low"] = *point.x_low;
      json["x_high"] = *point.x_high;
    }
    if (!point.hint.empty()) json["hint"] = point.hint;
    points.push_back(std::move(json));
  }
  return points;
}

Json PlotJson(const Plot& plot) {
  Json json = {{"x", {{"label", plot.x.label}, {"log", plot.x.logarithmic}}},
               {"y", {{"label", plot.y.label}, {"log", plot.y.logarithmic}}}};
  if (!plot.rows.empty()) json["rows"] = plot.rows;
  if (plot.reference) json["reference"] = *plot.reference;
  json["series"] = Json::array();
  for (const PlotSeries& series : plot.series) {
    json["series"].push_back({{"name", series.name},
                              {"mark", MarkName(series.mark)},
                              {"points", PointsJson(plot, series)}});
  }
  return json;
}

Json CellJson(const TableCell& cell) {
  if (!cell.number) return cell.text.empty() ? Json(nullptr) : Json(cell.text);
  return std::isfinite(*cell.number) ? Json(*cell.number) : Json(nullptr);
}

Json FigureJson(const Figure& figure) {
  Json rows = Json::array();
  for (const auto& row : figure.table.rows) {
    Json cells = Json::object();
    for (size_t c = 0; c < row.size(); ++c) {
      cells[figure.table.columns[c]] = CellJson(row[c]);
    }
    rows.push_back(std::move(cells));
  }
  return {{"title", figure.title},
          {"caption", figure.caption},
          {"rows", std::move(rows)}};
}

Json StudyJson(const ReportStudy& study) {
  const StoredStudy& stored = study.stored;
  Json json = {{"study", stored.study.name},
               {"file", study.file},
               {"machine", stored.machine},
               {"host", stored.host},
               {"created", stored.created},
               {"finished", stored.finished},
               {"points", stored.points},
               {"done", stored.done},
               {"failed", stored.failed},
               {"too_noisy",
                !study.section.noise.empty() && !AllQuiet(study.section.noise)},
               {"definition", stored.study.definition},
               {"facts", stored.facts},
               {"versions", stored.versions},
               {"method", study.section.method},
               {"findings", study.section.findings}};
  json["noise"] = NoiseListJson(study.section.noise);
  json["figures"] = Json::array();
  for (const auto* figures : {&study.section.figures, &study.conduct}) {
    for (const Figure& figure : *figures) {
      json["figures"].push_back(FigureJson(figure));
    }
  }
  return json;
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json = {{"points", report.points()},
               {"done", report.done()},
               {"failed", report.failed()}};
  json["studies"] = Json::array();
  for (const ReportStudy& study : report.studies) {
    json["studies"].push_back(StudyJson(study));
  }
  return Dump(json) + "\n";
}

std::string PlotsJson(const Report& report) {
  Json plots = Json::array();
  for (const ReportStudy& study : report.studies) {
    for (const auto* figures : {&study.section.figures, &study.conduct}) {
      for (const Figure& figure : *figures) {
        for (const Plot& plot : figure.plots) plots.push_back(PlotJson(plot));
      }
    }
  }
  // "</script>" or "<!--" in a name must not end the element.
  std::string text;
  for (const char c : Dump(plots)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace stint
