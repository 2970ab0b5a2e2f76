#include "tools/render/machines/network_listing.h"

#include "tools/cli/console.h"
#include "tools/machines/named_networks.h"

#include <fmt/format.h>

namespace timeless::tools {

std::string network_listing() {
  Table table({"network", "latency", "bandwidth", "what it is"});
  std::string sources;
  for (const std::string& name : known_networks()) {
    const replay::NetworkDescription network = named_network(name);
    table.add({name, human_seconds(figures(network).latency), bandwidth_words(network), network.description});
    sources += text_line("{}: {}", name, network.source);
  }
  return table.text() + "\n" + sources;
}

} // namespace timeless::tools
