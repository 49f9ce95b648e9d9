#pragma once
// Finished measurements of a long job, so that it goes on after it was killed.

#include <map>
#include <string>

#include "stint/status.h"

namespace stint {

// A text file: a line that says what was measured, then a name and a number
// per line.
class Journal {
 public:
  // What is there of a job with the same head; an empty path keeps nothing.
  Journal(std::string path, std::string head);

  // Null when it is still to be done.
  const double* Find(const std::string& name) const;
  Status Add(const std::string& name, double value);
  void Remove() const;

 private:
  const std::string path_;
  const std::string head_;
  std::map<std::string, double> done_;
};

}  // namespace stint
