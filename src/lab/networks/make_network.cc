#include "lab/networks/make_network.h"

#include <algorithm>
#include <cstdio>

#include "convert/huggingface/encoder_graph.h"
#include "lab/networks/network_builder.h"
#include "weights/package/package.h"

namespace stint {
namespace {

constexpr char kNames[] =
    "resnet50, mobilenetv2, minilm, bert-base, encoder-L4-H256, cnn-D8-W64, "
    "each also with /tiny";
constexpr char kTiny[] = "/tiny";
// Pictures of twins; five strides of 2 must leave a pixel.
constexpr int64_t kTinyPicture = 32;
constexpr int64_t kPicture = 224;
constexpr int64_t kClasses = 1000;
constexpr double kEncoderDeviation = 0.02;  // as BERT is initialized
// A small gain at the end of a branch keeps the sum of many branches near 1.
constexpr double kBranchGain = 0.4;

// Channels of a twin: enough to keep every layer's kind, not more.
int64_t Narrow(int64_t channels, bool tiny) {
  return tiny ? std::min<int64_t>(channels, 4) : channels;
}

std::unique_ptr<Graph> ResNet50(bool tiny, uint64_t seed) {
  NetworkBuilder b(seed);
  int64_t channels = Narrow(64, tiny);
  ValueId x = b.Picture(tiny ? kTinyPicture : kPicture);
  x = b.MaxPool3x3(b.Relu(b.Conv(x, {3, channels, 7, 2})));
  const int repeats[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t width = Narrow(64 << stage, tiny);
    const int64_t out = Narrow(256 << stage, tiny);
    for (int i = 0; i < repeats[stage]; ++i) {
      const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      ValueId y = b.Relu(b.Conv(x, {channels, width}));
      y = b.Relu(b.Conv(y, {width, width, 3, stride}));
      y = b.Conv(y, {width, out, 1, 1, 1, kBranchGain});
      // The first of a stage has it whatever the widths: twins too.
      if (i == 0) x = b.Conv(x, {channels, out, 1, stride, 1, 1});
      x = b.Relu(b.Sum(y, x));
      channels = out;
    }
  }
  b.Classifier(x, channels, Narrow(kClasses, tiny));
  return b.Finish();
}

std::unique_ptr<Graph> MobileNetV2(bool tiny, uint64_t seed) {
  struct Stage {
    int64_t expansion, channels;
    int repeats;
    int64_t stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                               {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                               {6, 320, 1, 1}};
  NetworkBuilder b(seed);
  int64_t channels = Narrow(32, tiny);
  ValueId x = b.Picture(tiny ? kTinyPicture : kPicture);
  x = b.Relu6(b.Conv(x, {3, channels, 3, 2}));
  for (const Stage& stage : kStages) {
    const int64_t out = Narrow(stage.channels, tiny);
    for (int i = 0; i < stage.repeats; ++i) {
      const int64_t stride = i == 0 ? stage.stride : 1;
      const int64_t width = channels * (tiny ? 1 : stage.expansion);
      ValueId y = x;
      if (stage.expansion != 1) y = b.Relu6(b.Conv(y, {channels, width}));
      y = b.Relu6(b.Conv(y, {width, width, 3, stride, width}));
      y = b.Conv(y, {width, out, 1, 1, 1, 1});
      x = i > 0 ? b.Sum(x, y) : y;
      channels = out;
    }
  }
  const int64_t features = Narrow(1280, tiny);
  x = b.Relu6(b.Conv(x, {channels, features}));
  b.Classifier(x, features, Narrow(kClasses, tiny));
  return b.Finish();
}

// `depth` convolutions of 3x3 with `width` channels on pictures of 32x32.
std::unique_ptr<Graph> PlainCnn(int64_t depth, int64_t width, uint64_t seed) {
  NetworkBuilder b(seed);
  ValueId x = b.Picture(kTinyPicture);
  for (int64_t i = 0; i < depth; ++i) {
    x = b.Relu(b.Conv(x, {i == 0 ? 3 : width, width, 3}));
  }
  b.Classifier(x, width, 10);
  return b.Finish();
}

struct EncoderSize {
  int64_t layers, hidden, heads, vocabulary;
};

Result<std::unique_ptr<Graph>> Encoder(const EncoderSize& size, bool tiny,
                                       uint64_t seed) {
  EncoderConfig config;
  config.layers = size.layers;
  config.hidden_size = tiny ? 8 : size.hidden;
  config.heads = tiny ? 2 : size.heads;
  config.intermediate_size = 4 * config.hidden_size;
  config.vocab_size = size.vocabulary;
  config.max_positions = 512;
  config.type_vocab_size = 2;
  NetworkBuilder b(seed);
  const int64_t h = config.hidden_size, f = config.intermediate_size;
  const auto linear = [&](int64_t out, int64_t in) {
    return LinearWeights{b.Normal({out, in}, kEncoderDeviation),
                         b.Normal({out}, kEncoderDeviation)};
  };
  const auto norm = [&] {
    NormWeights weights{b.Normal({h}, kEncoderDeviation),
                        b.Normal({h}, kEncoderDeviation)};
    for (int64_t i = 0; i < h; ++i) weights.scale.data<float>()[i] += 1;
    return weights;
  };
  EncoderWeights weights;
  weights.word_embeddings = b.Normal({config.vocab_size, h}, kEncoderDeviation);
  weights.position_embeddings = b.Normal({512, h}, kEncoderDeviation);
  weights.type_embeddings = b.Normal({2, h}, kEncoderDeviation);
  weights.embedding_norm = norm();
  for (int64_t i = 0; i < size.layers; ++i) {
    EncoderLayerWeights layer;
    layer.query = linear(h, h);
    layer.key = linear(h, h);
    layer.value = linear(h, h);
    layer.attention_output = linear(h, h);
    layer.attention_norm = norm();
    layer.intermediate = linear(f, h);
    layer.output = linear(h, f);
    layer.output_norm = norm();
    weights.layers.push_back(std::move(layer));
  }
  return BuildEncoder(config, SentenceConfig{}, weights);
}

// "encoder-L4-H256": two numbers of at least 1 after the letters.
bool ParseFamily(const std::string& name, const char* format, int64_t* depth,
                 int64_t* width) {
  long long a = 0, b = 0;
  int end = 0;
  if (std::sscanf(name.c_str(), format, &a, &b, &end) != 2 ||
      static_cast<size_t>(end) != name.size() || a < 1 || b < 1 || a > 1000 ||
      b > 16384) {
    return false;
  }
  *depth = a;
  *width = b;
  return true;
}

Result<std::unique_ptr<Graph>> MakeGraph(const std::string& name, bool tiny,
                                         uint64_t seed) {
  if (name == "resnet50") return ResNet50(tiny, seed);
  if (name == "mobilenetv2") return MobileNetV2(tiny, seed);
  if (name == "minilm") return Encoder({6, 384, 12, 30522}, tiny, seed);
  if (name == "bert-base") return Encoder({12, 768, 12, 30522}, tiny, seed);
  int64_t depth = 0, width = 0;
  if (ParseFamily(name, "encoder-L%lld-H%lld%n", &depth, &width) &&
      width % 32 == 0) {
    return Encoder({depth, width, width / 32, 1000}, tiny, seed);
  }
  if (ParseFamily(name, "cnn-D%lld-W%lld%n", &depth, &width)) {
    return PlainCnn(depth, Narrow(width, tiny), seed);
  }
  return InvalidArgument("network '" + name + "', expected one of " + kNames);
}

}  // namespace

Result<Model> MakeNetwork(const std::string& name, uint64_t seed) {
  const bool tiny = name.ends_with(kTiny);
  const std::string base =
      tiny ? name.substr(0, name.size() - sizeof(kTiny) + 1) : name;
  auto package = std::make_shared<Package>();
  STINT_ASSIGN_OR_RETURN(package->graph, MakeGraph(base, tiny, seed));
  STINT_RETURN_IF_ERROR(InferGraph(package->graph.get()));
  return Model(package);
}

}  // namespace stint
