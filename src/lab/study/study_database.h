#pragma once
// Results of studies in one SQLite file (docs/formats/study.md). A point lands
// whole or not at all, as soon as it is finished, so that a study that was
// killed goes on where it was.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/study/study.h"

struct sqlite3;

namespace stint {

// What a point gave. `status` is "ok", "infeasible" (nothing fits the budget
// that the point was given), "unsupported" (what should run it does not do such
// a thing), "emulated" (answers without times) or one word that says what went
// wrong.
struct Outcome {
  std::string status = "ok";
  std::string reason;
  std::map<std::string, std::vector<double>> samples;  // by name, unit at end
  std::map<std::string, std::string> facts;            // versions and the like
  std::map<std::string, std::string> files;            // content by name

  bool ok() const { return status == "ok"; }
  bool emulated() const { return status == "emulated"; }
  // The first sample of a name; nothing when there is none.
  std::optional<double> Sample(const std::string& name) const;
};

// Whether a status says that something went wrong.
bool IsFailure(std::string_view status);

// How often a point that fails is run, by studies that go on.
inline constexpr int64_t kMostAttempts = 3;

// Used by one thread at a time. Errors name the file. Points belong to a
// machine: what follows is about those of the one in use, those of its kind
// that do not say which machine they are of, and those that say nothing.
class StudyDatabase {
 public:
  // Makes the file when there is none, and brings one of an older schema up to
  // date. kDamaged on a file that is no database of studies, kUnsupported on
  // one of a newer schema. The machine in use is this one (MachineName,
  // HostId).
  static Result<StudyDatabase> Open(const std::string& path);

  // A copy in memory of a file that is there, for reading: the file is neither
  // made, brought up to date nor locked for longer than copying takes. Errors
  // as above, and kDamaged when the file holds no study or contradicts itself.
  static Result<StudyDatabase> OpenCopy(const std::string& path);

  // `name` is its kind; an empty `host` is one that is not known.
  Status UseMachine(const std::string& name, const std::string& host = "");
  // The machines that have points of the study; "" for points that do not say.
  Result<std::vector<std::string>> Machines(int64_t study_id);

  // The id of the study, entered on first use.
  Result<int64_t> StudyId(const Study& study);

  Result<bool> IsFinished(int64_t study_id, const Point& point);
  // Whether the point has a result, or failed as often as it may. A wrong
  // answer is a result.
  Result<bool> IsSettled(int64_t study_id, const Point& point);
  // In place of an outcome that the point has, whose attempts are counted.
  Status Record(int64_t study_id, const Point& point, const Outcome& outcome);
  // The outcome of a finished point; kNotFound for others.
  Result<Outcome> Find(int64_t study_id, const Point& point);
  // Every value of an axis, or of a fact, among the points of the study.
  Result<std::vector<std::string>> AxisValues(int64_t study_id,
                                              const std::string& axis);
  Result<std::vector<std::string>> FactValues(int64_t study_id,
                                              const std::string& name);
  // How many points of the study are finished, on any machine.
  Result<int64_t> CountFinished(int64_t study_id);

  sqlite3* handle() { return database_.get(); }

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  StudyDatabase(std::string path, std::unique_ptr<sqlite3, Closer> database)
      : path_(std::move(path)), database_(std::move(database)) {}
  Status InsertPoint(int64_t study_id, const Point& point,
                     const Outcome& outcome);
  Result<int64_t> PointId(int64_t study_id, const Point& point);
  Result<int64_t> Attempts(int64_t point_id);
  // Of a query whose parameters are the study and the name.
  Result<std::vector<std::string>> Values(const char* sql, int64_t study_id,
                                          const std::string& name);

  std::string path_;
  std::unique_ptr<sqlite3, Closer> database_;
  int64_t machine_ = 0;
  int64_t kind_ = 0;  // the machine of that kind that is not known; or as above
};

}  // namespace stint
