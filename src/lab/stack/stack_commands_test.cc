#include "lab/stack/stack_commands.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(CompressOptionsOf, SplitsPruningAndNumbers) {
  EXPECT_EQ(*CompressOptionsOf("channel:50%+int8"),
            (std::vector<std::string>{"--prune", "channel:50%", "--quantize",
                                      "int8:rule"}));
  EXPECT_EQ(*CompressOptionsOf("int8:mse:all"),
            (std::vector<std::string>{"--quantize", "int8:mse:all"}));
  EXPECT_EQ(CompressOptionsOf("channel:150%").status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CompressOptionsOf("int9").status().code(),
            StatusCode::kInvalidArgument);
}

TEST(StackCompressCommand, RepairsOnSoManyRows) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.calibration = "train.bin";
  options.calibration_rows = 200;
  options.task = "cifar10";
  EXPECT_EQ(*StackCompressCommand(options, "m.onnx", "int8", "x.onnx"),
            (std::vector<std::string>{
                "stint", "compress", "m.onnx", "-o", "x.onnx", "--format",
                "json", "--quantize", "int8:rule", "--calibrate", "train.bin",
                "--calibrate-rows", "200", "--task", "cifar10"}));
}

TEST(StackEvalCommand, HasThePointsPrimitiveAndCompute) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.data = "test.bin";
  options.task = "cifar10";
  options.preprocessing = {"--scale", "255"};
  options.rows = 10;
  const Point point{
      1,
      {{"model", "m.onnx"}, {"compute", "avx2-1thread"}},
      {{"compression", "bf16"}, {"primitive", "direct"}, {"code", "untuned"}}};
  EXPECT_EQ(*StackEvalCommand(options, point, "x.onnx"),
            (std::vector<std::string>{
                "stint",      "eval",    "x.onnx",      "--task",
                "cifar10",    "--data",  "test.bin",    "--format",
                "json",       "--right", "--rows",      "10",
                "--scale",    "255",     "--primitive", "direct",
                "--schedule", "untuned", "--precision", "bf16",
                "--isa",      "avx2",    "--threads",   "1"}));
}

TEST(StackTuneCommand, TunesForTheComputeBesideTheModel) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.tune_budget = "5s";
  const Point point{1,
                    {{"model", "m"}, {"compute", "avx2-1thread"}},
                    {{"primitive", "auto"}, {"code", "tuned"}}};
  EXPECT_EQ(*StackTuneCommand(options, point, "x.onnx"),
            (std::vector<std::string>{
                "env", "XDG_CACHE_HOME=x.onnx.avx2-1thread.schedules", "stint",
                "tune", "x.onnx", "--budget", "5s", "--format", "json", "--isa",
                "avx2", "--threads", "1"}));
  // Whatever runs the point goes by the same folder.
  const auto eval = StackEvalCommand(options, point, "x.onnx");
  EXPECT_EQ((*eval)[1], "XDG_CACHE_HOME=x.onnx.avx2-1thread.schedules");
}

TEST(StackEvalCommand, RunsOnTheDeviceOfThePoint) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.data = "test.bin";
  options.task = "cifar10";
  const Point point{
      1,
      {{"model", "m.onnx"}, {"compute", "opencl:0"}},
      {{"compression", "none"}, {"primitive", "auto"}, {"code", "default"}}};
  EXPECT_EQ(*StackEvalCommand(options, point, "x.onnx"),
            (std::vector<std::string>{
                "stint", "eval", "x.onnx", "--task", "cifar10", "--data",
                "test.bin", "--format", "json", "--right", "--schedule",
                "default", "--device", "opencl:0"}));
}

TEST(StackInspectCommand, IsRunByTheEmulatedProgram) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.emulated_stint = {"qemu", "-L", "root", "other/stint"};
  const Point point{
      1,
      {{"model", "m.onnx"}, {"compute", "emulated"}},
      {{"compression", "bf16"}, {"primitive", "direct"}, {"code", "untuned"}}};
  EXPECT_EQ(*StackInspectCommand(options, point, "x.onnx"),
            (std::vector<std::string>{
                "qemu", "-L", "root", "other/stint", "inspect", "x.onnx",
                "--kernels", "--format", "json", "--primitive", "direct",
                "--schedule", "untuned", "--precision", "bf16"}));
  EXPECT_EQ((*StackCompressCommand(options, "m.onnx", "fp16", "x.onnx"))[0],
            "stint");
}

}  // namespace
}  // namespace stint
