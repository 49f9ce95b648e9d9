#pragma once
// Expectations on error messages.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stint/status.h"

namespace stint {

// The status is an error whose message holds every part.
inline void ExpectSays(const Status& status,
                       const std::vector<std::string>& parts) {
  EXPECT_FALSE(status.ok());
  for (const std::string& part : parts) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, part, status.message());
  }
}

}  // namespace stint
