#include "core/platform/process.h"

#include <gtest/gtest.h>

#include "core/platform/clock.h"

namespace stint {
namespace {

Process StartShell(const std::string& script) {
  return std::move(Process::Start({"sh", "-c", script})).value();
}

TEST(Process, EchoesLines) {
  Process process = StartShell("while read line; do echo \"<$line>\"; done");
  ASSERT_TRUE(process.WriteLine("one").ok());
  ASSERT_TRUE(process.WriteLine("two").ok());
  EXPECT_EQ(*process.ReadLine(5), "<one>");
  EXPECT_EQ(*process.ReadLine(5), "<two>");
  process.CloseInput();
  EXPECT_TRUE(process.Wait(5).ok());
}

TEST(Process, ReadsLinesLongerThanAPipe) {
  Process process = StartShell("head -c 300000 /dev/zero | tr '\\0' x; echo");
  EXPECT_EQ(process.ReadLine(5)->size(), 300000u);
}

TEST(Process, TellsTheExitCode) {
  const ProcessExit exit = StartShell("exit 3").Wait(5);
  EXPECT_EQ(exit.code, 3);
  EXPECT_EQ(exit.ToString(), "exit code 3");
}

TEST(Process, NamesTheSignal) {
  const ProcessExit exit = StartShell("kill -SEGV $$").Wait(5);
  EXPECT_FALSE(exit.ok());
  EXPECT_EQ(exit.ToString(), "SIGSEGV");
}

TEST(Process, MissingProgramIsNotFound) {
  const auto process = Process::Start({"/no/such/program"});
  EXPECT_EQ(process.status().code(), StatusCode::kNotFound);
  EXPECT_NE(process.status().message().find("/no/such/program"),
            std::string::npos);
}

TEST(Process, SilenceIsCancelledAfterTheTimeout) {
  Process process = StartShell("sleep 60");
  const int64_t start = NowNs();
  EXPECT_EQ(process.ReadLine(0.05).status().code(), StatusCode::kCancelled);
  EXPECT_GE(MsSince(start), 49);
  EXPECT_LT(MsSince(start), 10000);
  EXPECT_EQ(process.Kill().ToString(), "SIGKILL");
}

TEST(Process, WaitKillsWhatDoesNotEnd) {
  EXPECT_EQ(StartShell("exec sleep 60").Wait(0.02).ToString(), "SIGKILL");
}

TEST(Process, EndOfOutputIsAnIoError) {
  EXPECT_EQ(StartShell("true").ReadLine(5).status().code(), StatusCode::kIo);
}

TEST(Process, WritingToADeadProcessIsAnErrorNotASignal) {
  Process process = StartShell("exit 0");
  process.Wait(5);
  EXPECT_EQ(process.WriteLine("x").code(), StatusCode::kIo);
}

TEST(Process, KeepsTheEndOfStandardError) {
  Process process = StartShell("echo first >&2; echo second >&2");
  process.Wait(5);
  EXPECT_EQ(process.ErrorTail(7), "second\n");
  EXPECT_EQ(process.ErrorTail(1000), "first\nsecond\n");
}

TEST(Process, KnowsItsOwnFile) {
  EXPECT_NE(ExecutablePath().find("test_core_platform"), std::string::npos);
}

TEST(Process, ReplacingByAMissingProgramSaysWhich) {
  char name[] = "missing";
  char* arguments[] = {name, nullptr};
  const Status status = ReplaceProcess("/no/such/program", arguments);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace stint
