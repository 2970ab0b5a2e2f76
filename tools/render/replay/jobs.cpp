#include "tools/render/replay/jobs.h"

#include "tools/cli/console.h"
#include "tools/render/replay/prediction/prediction.h"

#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace timeless::tools {

namespace {

std::string ranks_table(const Job& job) {
  Table ranks({"rank", "node", "alone", "together"});
  const auto& lanes = job.prediction.result.lanes;
  for (std::size_t rank = 0; rank < lanes[0].ranks.size(); ++rank)
    ranks.add({std::to_string(rank), job.prediction.bases.front().nodes.at(rank),
               human_seconds(lanes[1].ranks[rank].end), human_seconds(lanes[0].ranks[rank].end)});
  return "\n" + text_line("{}", job.asked.trace) + ranks.text();
}

} // namespace

std::string to_text(const JobsAnswer& answer) {
  Table table({"job", "ranks", "alone", "together", "times as long"});
  for (const Job& job : answer.jobs) {
    const auto& lanes = job.prediction.result.lanes;
    table.add({job.asked.trace, std::to_string(job.source->run().size), human_seconds(lanes[1].makespan),
               human_seconds(lanes[0].makespan), fmt::format("{:.3f}", job.times_as_long())});
  }
  std::string text = table.text();
  if (answer.listing.per_rank)
    for (const Job& job : answer.jobs)
      text += ranks_table(job);
  text += "\n" + text_fact(10, "machine", "{}", answer.jobs.front().prediction.machine);
  for (std::size_t i = 0; i < answer.jobs.size(); ++i) {
    const Prediction& prediction = answer.jobs[i].prediction;
    text += text_fact(10, fmt::format("job {}", i + 1), "{}", answer.jobs[i].asked.trace);
    text += text_fact(10, "mapping", "{}", prediction.mapping_sentence);
    const ComputeBasis& compute = prediction.bases.front().compute;
    text += text_fact(10, "compute", "{}{}", compute.assumed ? "ASSUMED: " : "", compute.sentence);
    for (const std::string& note : prediction.notes)
      text += text_fact(10, "note", "{}", note);
  }
  return text;
}

nlohmann::ordered_json to_json(const JobsAnswer& answer) {
  nlohmann::ordered_json json{{"jobs", nlohmann::ordered_json::array()}};
  for (const Job& job : answer.jobs) {
    nlohmann::ordered_json one =
        to_json(PredictionAnswer{job.asked, job.source->run(), job.prediction, answer.listing});
    one["times_as_long"] = job.times_as_long();
    json["jobs"].push_back(std::move(one));
  }
  return json;
}

} // namespace timeless::tools
