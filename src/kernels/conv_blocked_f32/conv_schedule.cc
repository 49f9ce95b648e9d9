#include "kernels/conv_blocked_f32/conv_schedule.h"

#include <charconv>
#include <vector>

namespace stint {
namespace {

constexpr int kMost = 65536;

// One letter per field, or pair of fields.
struct Field {
  char letter;
  int ConvSchedule::*first;
  int ConvSchedule::*second;  // or null
};
constexpr Field kFields[] = {
    {'t', &ConvSchedule::tile_pixels, &ConvSchedule::tile_blocks},
    {'c', &ConvSchedule::chunk, nullptr},
    {'b', &ConvSchedule::band, nullptr},
    {'g', &ConvSchedule::row_parts, &ConvSchedule::block_parts},
    {'r', &ConvSchedule::row_first, nullptr},
    {'h', &ConvSchedule::tile_rows, nullptr},
    {'u', &ConvSchedule::unroll, nullptr},
    {'a', &ConvSchedule::ahead, nullptr},
};

// Takes a number from the front of `text`.
bool TakeNumber(std::string_view* text, int* number) {
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc() || *number < 0 || *number > kMost) return false;
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return true;
}

bool ParseField(std::string_view text, ConvSchedule* schedule) {
  if (text.empty()) return false;
  for (const Field& field : kFields) {
    if (field.letter != text[0]) continue;
    text.remove_prefix(1);
    if (!TakeNumber(&text, &(schedule->*field.first))) return false;
    if (field.second == nullptr) return text.empty();
    if (!text.starts_with('x')) return false;
    text.remove_prefix(1);
    return TakeNumber(&text, &(schedule->*field.second)) && text.empty();
  }
  return false;
}

}  // namespace

std::string ToText(const ConvPlan& plan) {
  std::string text = plan.primitive;
  for (const Field& field : kFields) {
    const int first = plan.schedule.*field.first;
    const int second = field.second ? plan.schedule.*field.second : 0;
    if (first == 0 && second == 0) continue;
    text += std::string(":") + field.letter + std::to_string(first);
    if (field.second) text += "x" + std::to_string(second);
  }
  return text;
}

Result<ConvPlan> ParseConvPlan(std::string_view text) {
  ConvPlan plan;
  std::string_view rest = text;
  const size_t end = rest.find(':');
  plan.primitive = rest.substr(0, end);
  bool valid = !plan.primitive.empty() && plan.primitive.size() < 32;
  while (valid && rest.find(':') != std::string_view::npos) {
    rest.remove_prefix(rest.find(':') + 1);
    valid = ParseField(rest.substr(0, rest.find(':')), &plan.schedule);
  }
  if (!valid) {
    return Damaged("'" + std::string(text.substr(0, 80)) +
                   "' is not a schedule");
  }
  return plan;
}

}  // namespace stint
