#pragma once
// The binary files of CIFAR-10: records of one label byte and 32x32 pixels in
// three planes.

#include <string>
#include <string_view>
#include <vector>

#include "convert/data/image.h"
#include "stint/status.h"

namespace stint {

struct Cifar10 {
  std::vector<int> labels;    // 0 to 9
  std::vector<Image> images;  // 32x32, as many as labels
};

// Fails with kDamaged on no records, on a cut-off last record and on labels
// over 9, naming the record.
Result<Cifar10> DecodeCifar10(std::string_view bytes);

// The same from a batch file, .bin, .bin.gz or .bin.xz, which errors name.
Result<Cifar10> ReadCifar10(const std::string& path);

}  // namespace stint
