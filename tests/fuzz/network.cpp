// Network files: links by formulas, tables and thresholds. What is read answers every size with a time.
#include "replay/network/network_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#include <cmath>
#include <optional>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  file.hold(fuzz::text(data, size));
  std::optional<replay::NetworkDescription> network;
  if (!fuzz::reads([&] { network = replay::read_network(file.path()); })) return 0;
  // Halves and doubles, as `--latency` and `--bandwidth` do.
  for (const replay::Scaling& scaling : {replay::Scaling{}, replay::Scaling{.bandwidth = 8, .latency = 0.125}}) {
    const replay::MachineLane lane = replay::lane(*network, scaling);
    for (const replay::LinkCosts* const costs : {&lane.between_nodes, &lane.within_node})
      for (const replay::Bytes bytes : {0UL, 1UL, 1400UL, 65536UL, 1UL << 40U}) {
        const replay::MessageCosts& of = costs->of(bytes);
        const double time = of.latency + of.transfer + static_cast<double>(bytes) * of.byte_time;
        fuzz::demand(time >= 0 && std::isfinite(time), "a message takes some time");
      }
  }
  return 0;
}
