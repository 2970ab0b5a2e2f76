#include "tools/render/replay/prediction/process_work.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

std::string to_text(const std::vector<replay::ProcessWork>& processes) {
  if (processes.empty()) return {};
  Table table(
      {"process", "ranks", "actions", "messages", "collectives", "batches", "bytes", "seconds", "waited", "CPU"});
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const replay::ProcessWork& work = processes[process];
    table.add({std::to_string(process),
               work.ranks.size() > 0 ? fmt::format("{}-{}", work.ranks.begin, work.ranks.end - 1) : "none",
               count_text(work.actions), count_text(work.messages), count_text(work.collectives),
               count_text(work.batches), bytes_text(work.bytes), human_seconds(work.seconds),
               human_seconds(work.waited), human_seconds(work.cpu_seconds)});
  }
  return "\n" + table.text() +
         "messages, parts and results of collectives, batches and bytes are those told to other processes\n";
}

nlohmann::ordered_json to_json(const std::vector<replay::ProcessWork>& processes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const replay::ProcessWork& work : processes)
    all.push_back({{"first_rank", work.ranks.begin},
                   {"ranks", work.ranks.size()},
                   {"actions", work.actions},
                   {"messages", work.messages},
                   {"collectives", work.collectives},
                   {"batches", work.batches},
                   {"bytes", work.bytes},
                   {"seconds", work.seconds},
                   {"waited_seconds", work.waited},
                   {"cpu_seconds", work.cpu_seconds}});
  return all;
}

} // namespace timeless::tools
