#pragma once
// A short cut through tokenizer.json: its vocabulary and merges are nearly all
// of it and nearly always plain, so that they need no general parser.

#include <string>
#include <string_view>

#include "model/text/tokenizer_document.h"

namespace stint {

// Reads the elements of model.vocab ("token": 7) and model.merges ("left right"
// or ["left", "right"]) into the document; `rest` is `content` without them.
// False when anything about them is unusual, right or wrong: then a parser must
// read it all, and the document is as it was.
bool TakePlainElements(std::string_view content, TokenizerDocument* document,
                       std::string* rest);

}  // namespace stint
