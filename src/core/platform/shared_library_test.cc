#include "core/platform/shared_library.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(SharedLibrary, FindsWhatALibraryHas) {
  const auto library = SharedLibrary::Open("libm.so.6");
  ASSERT_TRUE(library.ok()) << library.status().message();
  EXPECT_NE(library->Find("cos"), nullptr);
  EXPECT_EQ(library->Find("no_such_function"), nullptr);
}

TEST(SharedLibrary, NamesOneThatIsMissing) {
  const Status status = SharedLibrary::Open("libno-such.so.9").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("libno-such.so.9"), std::string::npos);
}

}  // namespace
}  // namespace stint
