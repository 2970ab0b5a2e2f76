#include "replay/smpi/machine_failures.h"

#include "replay/simgrid/simgrid_versions.h"

#include <cstdio>
#include <string_view>
#include <utility>

namespace timeless::replay::smpi {

namespace {

namespace sg4 = simgrid::s4u;

constexpr const char* how_to_survive = "a state profile of the platform file says so (state_file): take it out";

std::string now() {
  char text[48];
  std::snprintf(text, sizeof text, "%.6g s of simulated time", sg4::Engine::get_clock());
  return text;
}

} // namespace

void MachineFailures::watch(std::function<void(const std::string& host)> host_failed) {
  on_switched<sg4::Host>([failed = std::move(host_failed)](const sg4::Host& host) {
    if (!host.is_on()) failed(host.get_name());
  });
  on_switched<sg4::Link>([this](const sg4::Link& link) {
    if (!link.is_on()) links_.insert(link.get_name());
  });
}

Error MachineFailures::of_host(const std::string& host, const std::string& ranks) {
  return {Failure::invalid_input, "host " + host + " fails at " + now() + " and its ranks with it", ranks,
          std::string(how_to_survive) + ", or place no rank on this host (--mapping)"};
}

Error MachineFailures::of_host_at_start(const std::string& host, std::size_t rank) {
  return {Failure::invalid_input, "host " + host + " is off, and cannot run a rank", "rank " + std::to_string(rank),
          std::string(how_to_survive) + ", or place no rank on this host (--mapping)"};
}

Error MachineFailures::of_message(const std::string& rank) const {
  const std::string off = links();
  return {Failure::invalid_input,
          "a message fails at " + now() + (off.empty() ? "" : "; links that have failed: " + off), rank,
          how_to_survive};
}

std::string MachineFailures::links() const {
  constexpr std::size_t named = 4;
  std::string text;
  std::size_t number = 0;
  for (const std::string& link : links_) {
    if (number++ == named) return text + ", ...";
    text += (text.empty() ? "" : ", ") + link;
  }
  return text;
}

std::optional<Error> missing_route(const Error& stopped) {
  const std::string& words = stopped.description();
  if (words.find("There can't be route in an Empty zone") != std::string::npos)
    return Error(Failure::invalid_input, "ranks are on hosts of a zone without routes (routing=\"None\")",
                 stopped.where(), "connect them, or place the ranks elsewhere (--hostfile)");
  constexpr std::string_view before = "send data from ";
  constexpr std::string_view between = " to ";
  const std::size_t begin = words.find(before);
  const std::size_t end = words.find(" but there is no connecting path");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  const std::size_t from = begin + before.size();
  const std::size_t to = words.find(between, from);
  if (to == std::string::npos || to > end) return std::nullopt;
  const std::string source = words.substr(from, to - from);
  const std::string destination = words.substr(to + between.size(), end - to - between.size());
  return Error(Failure::invalid_input, "the platform has no route from " + source + " to " + destination,
               stopped.where(), source == destination ? "give its hosts a loopback" : "connect them");
}

} // namespace timeless::replay::smpi
