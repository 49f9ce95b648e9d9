#include "weights/store/elastic/set_importance.h"

#include "weights/store/elastic/catalog_codec.h"
#include "weights/store/replace_sections.h"

namespace stint {

Result<int64_t> SetImportance(const std::string& path,
                              const ShardCatalog& catalog) {
  using store::SectionKind;
  return store::ReplaceSections(
      path, path,
      {{SectionKind::kImportance, store::EncodeImportance(catalog)},
       {SectionKind::kChecks, catalog.checks.empty()
                                  ? std::string()
                                  : store::EncodeChecks(catalog)}});
}

}  // namespace stint
