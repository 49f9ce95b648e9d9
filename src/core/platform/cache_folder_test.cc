#include "core/platform/cache_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stint {
namespace {

// Sets a variable of the environment, or unsets it for null, and puts back what
// was there.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) {
      old_ = old;
      was_set_ = true;
    }
    Set(value);
  }
  ~Variable() { Set(was_set_ ? old_.c_str() : nullptr); }

 private:
  void Set(const char* value) {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }
  const char* name_;
  std::string old_;
  bool was_set_ = false;
};

TEST(CacheFolder, FollowsTheStandard) {
  const Variable home("HOME", "/home/me");
  {
    const Variable cache("XDG_CACHE_HOME", "/var/cache");
    EXPECT_EQ(CacheFolder(), "/var/cache/stint");
  }
  {
    const Variable cache("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(CacheFolder(), "/home/me/.cache/stint");
  }
  const Variable cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(CacheFolder(), "/home/me/.cache/stint");
  const Variable nowhere("HOME", nullptr);
  EXPECT_EQ(CacheFolder(), "");
}

}  // namespace
}  // namespace stint
