#include "tools/render/platforms/listing.h"

#include "tools/cli/console.h"
#include "tools/machines/named_networks.h"

#include "base/units.h"

#include <nlohmann/json.hpp>

namespace timeless::tools::platforms {

nlohmann::ordered_json to_json(const PlatformListing& listing) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ListedPlatform& one : listing.platforms)
    all.push_back(
        {{"name", one.file.stem().string()},
         {"file", one.file.string()},
         {"hosts", one.hosts},
         {"cores", one.cores},
         {"speed", one.speed},
         {"alike", one.alike},
         {"latency_seconds",
          one.between_nodes ? nlohmann::ordered_json(one.between_nodes->latency) : nlohmann::ordered_json()},
         {"bits_per_second", one.between_nodes ? nlohmann::ordered_json(bits_per_second(one.between_nodes->bandwidth))
                                               : nlohmann::ordered_json()},
         {"trust", one.head.trust},
         {"overheads", one.head.overheads},
         {"description", one.head.description}});
  return {{"action", "list"}, {"folder", listing.folder.string()}, {"platforms", all}};
}

std::string to_text(const PlatformListing& listing) {
  Table table({"name", "hosts", "cores", "speed", "latency", "Gb/s", "trust", "overheads"});
  for (const ListedPlatform& one : listing.platforms)
    table.add({one.file.stem().string(), std::to_string(one.hosts), std::to_string(one.cores), human_count(one.speed),
               one.between_nodes ? human_seconds(one.between_nodes->latency) : "-",
               one.between_nodes ? fmt::format("{:.4g}", 8 * one.between_nodes->bandwidth / 1e9) : "-", one.head.trust,
               one.head.overheads});
  std::string text = table.text() + "\n";
  for (const ListedPlatform& one : listing.platforms)
    text += text_paragraph(one.file.stem().string() + ": ", one.head.description);
  return text + "\n" +
         text_paragraph(
             "", "Latency and Gb/s are a lone message's between two nodes, without the processors' overheads. Times on "
                 "machines whose overheads rest on different bases differ by that, too: a measured overhead is that "
                 "machine's own, an assumed one is 200 ns at either end of every message, whatever the network.") +
         text_paragraph(
             "", fmt::format("They are in {}; their heads say where each figure comes from.", listing.folder.string()));
}

} // namespace timeless::tools::platforms
