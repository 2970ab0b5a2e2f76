#include "tools/render/replay/prediction/not_modelled.h"

#include "tools/cli/console.h"
#include "tools/replaying/not_modelled.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

std::string to_text(const std::vector<replay::NotModelled>& left_out) {
  std::string text;
  for (const replay::NotModelled& one : left_out)
    text += text_fact(10, "left out", "{}", in_words(one));
  return text;
}

nlohmann::ordered_json to_json(const std::vector<replay::NotModelled>& left_out) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const replay::NotModelled& one : left_out)
    json.push_back({{"what", one.what}, {"calls", one.calls}, {"ranks", one.ranks}});
  return json;
}

} // namespace timeless::tools
