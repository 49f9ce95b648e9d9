#pragma once
// The sections of a package that are small or mapped: all but planes and rows.

#include "weights/package/package.h"
#include "weights/store/section_writer.h"

namespace stint::store {

// Writes them; `catalog` (null: a plain package) becomes the section of shards.
Status AddSections(const Package& package, const ShardCatalog* catalog,
                   SectionWriter* sections);

}  // namespace stint::store
