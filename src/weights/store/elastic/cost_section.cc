#include "weights/store/elastic/cost_section.h"

#include <algorithm>

#include "core/base/byte_reader.h"
#include "core/base/byte_writer.h"
#include "weights/store/package_file.h"
#include "weights/store/replace_sections.h"

namespace stint {

namespace store {

std::string EncodeCosts(const std::vector<ShippedCosts>& costs) {
  ByteWriter out;
  out.PutCount(costs.size());
  for (const ShippedCosts& of : costs) {
    out.PutText(of.machine);
    out.PutText(of.times);
  }
  return out.Take();
}

Result<std::vector<ShippedCosts>> DecodeCosts(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  std::vector<ShippedCosts> costs(in.GetCount(8));
  for (ShippedCosts& of : costs) {
    of.machine = in.GetText();
    of.times = in.GetText();
  }
  if (!in.ok() || !in.AtEnd()) {
    return Damaged("ends or goes wrong at offset " +
                   std::to_string(in.position()));
  }
  return costs;
}

}  // namespace store

Result<int64_t> AddCosts(const std::string& from, const std::string& to,
                         const ShippedCosts& costs) {
  STINT_ASSIGN_OR_RETURN(const Package package, ReadPackage(from));
  if (package.shards == nullptr) {
    return InvalidArgument(from + ": is no elastic file");
  }
  std::vector<ShippedCosts> all = package.shards->costs;
  std::erase_if(
      all, [&](const ShippedCosts& of) { return of.machine == costs.machine; });
  all.push_back(costs);
  return store::ReplaceSections(
      from, to, {{store::SectionKind::kCosts, store::EncodeCosts(all)}});
}

}  // namespace stint
