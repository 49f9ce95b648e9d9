#include "lab/record/model_record.h"

namespace stint {

Result<int64_t> CountTuned(const std::string& line) {
  STINT_ASSIGN_OR_RETURN(const Json json, ParseObject(line));
  const auto layers = json.find(kLayersKey);
  if (layers == json.end() || !layers->is_array()) {
    return Damaged(std::string("key '") + kLayersKey + "': expected a list");
  }
  int64_t tuned = 0;
  for (const Json& entry : *layers) {
    TunedLayerRecord layer;
    JsonReader reader(entry);
    TunedLayerRecord::Visit(layer, reader);
    STINT_RETURN_IF_ERROR(reader.status());
    tuned += layer.schedule.empty() ? 0 : 1;
  }
  return tuned;
}

}  // namespace stint
