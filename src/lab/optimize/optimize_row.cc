#include "lab/optimize/optimize_row.h"

namespace stint {

std::string OptimizeRow::Describe() const {
  if (plain) return name;
  int bytes = 0;
  int sparse = 0;
  int channels = 0;
  int gone = 0;
  for (const auto& [layer, what] : compress.layers) {
    bytes += what.int8;
    sparse += what.zeros > 0;
    channels += what.channels > 0 && what.channels < 1;
    gone += what.channels == 1;
  }
  std::string text = name + ":";
  const auto add = [&](int count, const char* what) {
    if (count == 0) return;
    text += (text.back() == ':' ? " " : ", ") + std::to_string(count) + what;
  };
  add(bytes, " in int8");
  add(sparse, " sparse");
  add(channels, " narrower");
  add(gone, gone == 1 ? " branch gone" : " branches gone");
  return text + (precision == "fp32" ? "" : ", rest in " + precision);
}

}  // namespace stint
