// Finds the sentences of a file that mean most nearly what a query says.
// Usage: semantic_search MODEL_FOLDER SENTENCES.txt QUERY...

#include <stint/convert.h>
#include <stint/stint.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

// The model's sentence embedding, which has length 1.
stint::Result<std::vector<float>> Embed(stint::Session* session,
                                        const std::string& text) {
  auto outputs = session->RunText(text);
  if (!outputs.ok()) return outputs.status();
  const stint::Tensor& vector = (*outputs)[0].value.tensor();
  return std::vector<float>(vector.data<float>(),
                            vector.data<float>() + vector.size());
}

int Fail(const stint::Status& status) {
  std::fprintf(stderr, "semantic_search: %s\n", status.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "usage: semantic_search MODEL SENTENCES.txt QUERY...\n");
    return 2;
  }
  auto model = stint::ImportModel(argv[1]);
  if (!model.ok()) return Fail(model.status());
  auto session = stint::Session::Create(std::move(*model));
  if (!session.ok()) return Fail(session.status());

  std::vector<std::string> sentences;
  std::vector<std::vector<float>> embeddings;
  std::ifstream file(argv[2]);
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    const auto embedding = Embed(&*session, line);
    if (!embedding.ok()) return Fail(embedding.status());
    sentences.push_back(line);
    embeddings.push_back(*embedding);
  }

  for (int i = 3; i < argc; ++i) {
    const auto query = Embed(&*session, argv[i]);
    if (!query.ok()) return Fail(query.status());
    std::vector<std::pair<float, size_t>> ranked;
    for (size_t s = 0; s < sentences.size(); ++s) {
      ranked.emplace_back(std::inner_product(query->begin(), query->end(),
                                             embeddings[s].begin(), 0.0f),
                          s);
    }
    std::sort(ranked.rbegin(), ranked.rend());
    std::printf("%s\n", argv[i]);
    for (size_t r = 0; r < std::min<size_t>(3, ranked.size()); ++r) {
      std::printf("  %.2f  %s\n", static_cast<double>(ranked[r].first),
                  sentences[ranked[r].second].c_str());
    }
  }
  return 0;
}
