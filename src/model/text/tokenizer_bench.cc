// tokenizer_bench FOLDER FILE: encodes every line of FILE with the tokenizer of
// FOLDER on one thread and prints "ids seconds". bench/tokenizer_bench.py runs
// it beside Hugging Face's tokenizers.

#include <algorithm>
#include <cstdio>

#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "model/text/tokenizer.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tokenizer_bench FOLDER FILE\n");
    return 2;
  }
  const auto tokenizer = stint::LoadTokenizer(argv[1]);
  const auto text = stint::ReadFile(argv[2]);
  if (!tokenizer.ok() || !text.ok()) {
    std::fprintf(stderr, "%s\n%s\n", tokenizer.status().message().c_str(),
                 text.status().message().c_str());
    return 1;
  }
  const int64_t start_ns = stint::NowNs();
  size_t ids = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    ids += (*tokenizer)->Encode(rest.substr(0, end)).ids.size();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::printf("%zu %.6f\n", ids, stint::MsSince(start_ns) * 1e-3);
  return 0;
}
