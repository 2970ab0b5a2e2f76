#include "tools/render/report/page/sections.h"

#include "tools/cli/shell_word.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/words.h"

#include "base/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace timeless::tools {

namespace {

/// How evenly the ranks compute in a kernel: the longest over the mean, with a picture.
TableCell spread_cell(const std::vector<double>& by_ranks) {
  double sum = 0;
  double most = 0;
  for (const double seconds : by_ranks) {
    sum += seconds;
    most = std::max(most, seconds);
  }
  if (!(sum > 0)) return {"-"};
  const double spread = most * static_cast<double>(by_ranks.size()) / sum;
  TableCell cell(fmt::format("{:.2f}x", spread), spread);
  cell.picture = spark_picture(by_ranks, "time by rank; the longest over the mean is");
  return cell;
}

} // namespace

void head_section(Html& html, const Report& report) {
  html.open("header");
  html.leaf("h1", trace_words(report.traces[report.about]));
  if (report.traces.size() > 1) {
    constexpr std::size_t most_named = 6;
    const std::size_t count = report.traces.size() - 1;
    std::string others = count > most_named ? fmt::format("{} other runs", count) : "";
    for (std::size_t i = 0; i < report.traces.size() && count <= most_named; ++i)
      if (i != report.about) others += (others.empty() ? "" : ", ") + trace_words(report.traces[i]);
    html.leaf(
        "p", {{"class", "subtitle"}},
        fmt::format("The verdict and all that follows are of this run, from {}. Beside it stand, each with its own "
                    "verdict: {}.",
                    report.traces[report.about].trace, others));
  }
  html.leaf("p", {{"class", "subtitle"}}, head_words(report));
  html.open("p", {{"class", "subtitle"}}).text("Made by ").leaf("code", report.asked.command).close();
  html.close();
}

void ground_section(Html& html, const Report& report) {
  open_section(html, "ground", "What this rests on");
  Facts all = head_facts(report);
  const Facts more = ground_facts(report);
  all.insert(all.end(), more.begin(), more.end());
  facts(html, all);
  html.close();
}

void kernel_section(Html& html, const Report& report) {
  open_section(html, "kernels", "Kernels");
  if (report.kernels.empty()) {
    html.leaf("p", "No computation was recorded in kernels.").close();
    return;
  }
  const auto heaviest = std::ranges::max_element(report.kernels, {}, &ReportedKernel::path_seconds);
  const double makespan = report.base_lane().makespan;
  html.leaf(
      "p", {{"class", "finding"}},
      fmt::format("Kernel {}, from {} to {}, takes most of the critical path, {} %. A kernel is the code between two "
                  "MPI calls.",
                  heaviest->kernel.kernel, symbols::end_in_words(heaviest->kernel.ends.from),
                  symbols::end_in_words(heaviest->kernel.ends.to),
                  share_words(makespan > 0 ? heaviest->path_seconds / makespan : 0)));
  const std::string& from = report.prediction.bases[report.base].compute.from;
  {
    constexpr std::size_t most = 40;
    std::size_t rows = 0;
    const std::string unit = name(report.run().counter.unit);
    PageTable table(html, "kernel-table",
                    report.kernel_count > most
                        ? fmt::format("The {} kernels that compute longest, of {}", most, report.kernel_count)
                        : "All kernels that compute",
                    {"kernel", "from", "to", "compute %", "critical path %", "time by rank", "visits", "mean, " + unit,
                     "CV %", "ranks", "per rank, least", "per rank, most", "rate, " + unit + "/s", "rate from"});
    for (const ReportedKernel& one : report.kernels) {
      const analysis::KernelFigures& figures = one.kernel.figures;
      const double share = makespan > 0 ? one.path_seconds / makespan : 0;
      table.row({{std::to_string(one.kernel.kernel), static_cast<double>(one.kernel.kernel)},
                 symbols::end_in_words(one.kernel.ends.from),
                 symbols::end_in_words(one.kernel.ends.to),
                 {share_words(one.kernel.share), one.kernel.share},
                 {share_words(share), share},
                 spread_cell(one.by_ranks),
                 {count_text(figures.visits), static_cast<double>(figures.visits)},
                 {human_count(figures.mean), figures.mean},
                 {share_words(figures.variation()), figures.variation()},
                 {std::to_string(figures.ranks), static_cast<double>(figures.ranks)},
                 {human_count(figures.least_of_rank), figures.least_of_rank},
                 {human_count(figures.most_of_rank), figures.most_of_rank},
                 {one.rate > 0 ? human_count(one.rate) : "-", one.rate},
                 from},
                {}, rows++ < most);
    }
  }
  html.close();
}

namespace {

/// What contention costs on a machine, by rank and kernel.
void contention_tables(Html& html, const Report& report, const std::string& machine, const analysis::Contention& found,
                       const std::string& prefix) {
  const auto change = [](const analysis::TimeWithAndWithout& time) { return change_text(time.model, time.smpi); };
  html.leaf("p", {{"class", "finding"}},
            fmt::format("On {} SMPI, where messages share links, takes {}; the model, where each is alone, {}: {} %.",
                        machine, seconds_words(found.makespan.smpi), seconds_words(found.makespan.model),
                        change(found.makespan)));
  const auto cells = [&](TableCell first, const analysis::TimeWithAndWithout& time) {
    return std::vector<TableCell>{std::move(first),
                                  {seconds_words(time.model), time.model},
                                  {seconds_words(time.smpi), time.smpi},
                                  {change(time), time.model > 0 ? time.difference() / time.model : 0}};
  };
  static constexpr std::size_t most = 20;
  {
    std::vector<std::size_t> ranks(found.ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i)
      ranks[i] = i;
    std::ranges::stable_sort(ranks, std::ranges::greater{},
                             [&](std::size_t i) { return std::abs(found.ranks[i].difference()); });
    const std::string cut = ranks.size() > most ? fmt::format(" ({} of {})", most, ranks.size()) : "";
    PageTable table(html, prefix + "-rank-table", "Ranks that differ most on " + machine + cut,
                    {"rank", "model", "SMPI", "difference %"});
    for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i)
      table.row(cells({std::to_string(ranks[i]), static_cast<double>(ranks[i])}, found.ranks[ranks[i]]));
  }
  if (!found.kernels.empty()) {
    PageTable table(
        html, prefix + "-kernel-table",
        fmt::format("Kernels, each with the calls to the next, that differ most on {}; mean of a rank", machine),
        {"kernel", "model", "SMPI", "difference %", "from", "to"});
    for (std::size_t i = 0; i < found.kernels.size(); ++i) {
      const std::uint32_t kernel = found.kernels[i].kernel;
      std::vector<TableCell> row = cells(kernel == replay::no_subject       ? TableCell("before the first")
                                         : kernel == replay::other_subjects ? TableCell("others")
                                                                            : TableCell(std::to_string(kernel), kernel),
                                         found.kernels[i].time);
      const auto ends = report.smpi->kernels.find(kernel);
      const bool known = ends != report.smpi->kernels.end();
      row.emplace_back(known ? symbols::end_in_words(ends->second.from) : "-");
      row.emplace_back(known ? symbols::end_in_words(ends->second.to) : "-");
      table.row(row, {}, i < most);
    }
  }
}

} // namespace

void smpi_section(Html& html, const Report& report) {
  if (!report.smpi) return;
  open_section(html, "smpi", "Model against SMPI");
  if (const analysis::Contention* const found = report.contention(report.base)) {
    contention_tables(html, report, report.machines[report.base].name, *found, "smpi");
  } else {
    html.leaf("p", "The model does not come to its end on this platform, so there is nothing to compare.");
    for (const std::string& note : report.smpi->notes)
      html.leaf("p", {{"class", "note"}}, note);
  }
  if (report.simulated_other)
    if (const analysis::Contention* const found = report.contention(*report.simulated_other))
      contention_tables(html, report, report.machines[*report.simulated_other].name, *found, "smpi-other");
  html.close();
}

namespace {

/// Where ranks were in predictions beside launches, and in the report where that is elsewhere: times differ by it.
std::string placement_words(const ValidatedPrediction& validated, const Report& report) {
  if (validated.mapping.empty()) return "The file does not say where ranks were in what it predicts.";
  const std::string& here = report.prediction.mapping_sentence;
  const std::string words = "Ranks were predicted there as " + validated.mapping;
  return words + (here == validated.mapping
                      ? ", as on the rest of this page."
                      : fmt::format("; the rest of this page has them as {}, and other times.", here));
}

} // namespace

void accuracy_section(Html& html, const Report& report) {
  if (!report.validation) return;
  open_section(html, "accuracy", "How far predictions were off");
  const Validation& validation = *report.validation;
  for (const std::string& warning : report.warnings)
    html.leaf("p", {{"class", "warning"}}, capitalised(warning) + ".");
  if (!validation.predictions.empty() && validation.predictions.front().makespan.measured > 0) {
    const ValidatedPrediction& first = validation.predictions.front();
    html.leaf("p", {{"class", "finding"}},
              fmt::format("On {} the predicted time was {:+.1f} % off: {} predicted, {} measured.", first.machine,
                          100 * first.makespan.error(), seconds_words(first.makespan.predicted),
                          seconds_words(first.makespan.measured)));
  }
  html.leaf("p", fmt::format("Predicted and measured for: {}{}.", validation.command,
                             validation.why.empty() ? "" : "; " + validation.why));
  if (!validation.predictions.empty()) html.leaf("p", placement_words(validation.predictions.front(), report));
  for (const std::string& note : validation.notes)
    html.leaf("p", {{"class", "note"}}, note + ".");
  {
    PageTable table(html, "accuracy-table", "Predicted beside measured",
                    {"machine", "model", "what", "predicted", interval_column("its interval", "predicted"), "measured",
                     interval_column("its interval", "measured"), "error %"});
    const auto row = [&](const ValidatedPrediction& one, const char* what, const analysis::ValidatedTime& time) {
      if (!(time.measured > 0)) return;
      table.row({one.machine,
                 one.backend,
                 what,
                 {seconds_words(time.predicted), time.predicted},
                 interval_cell(time.predicted_interval),
                 {seconds_words(time.measured), time.measured},
                 interval_cell(time.measured_interval),
                 {fmt::format("{:+.1f}", 100 * time.error()), time.error()}});
    };
    for (const ValidatedPrediction& one : validation.predictions) {
      row(one, "makespan", one.makespan);
      row(one, "computation", one.computing);
      row(one, "communication", one.communication);
    }
  }
  html.close();
}

void data_section(Html& html, const Report& report) {
  open_section(html, "data", "Data");
  html.leaf("p",
            "All figures of this page are in it, as JSON of the schema timeless.report/1: the same that this prints:");
  html.open("p").leaf("code", shell_line(report.asked.question) + " --json").close();
  html.leaf("p",
            "The rows of its tables, as comma-separated values, each behind its table's name, are what this prints:");
  html.open("p").leaf("code", shell_line(report.asked.question) + " --csv").close();
  html.open("p", {{"id", "downloads"}}).text("With scripts, they can be saved from here.").close();
  html.close();
}

void glossary_section(Html& html, const Report& /*report*/) {
  static constexpr std::array<std::pair<const char*, const char*>, 29> words{{
      {"assumed, calibrated, given", "what the rate of computation rests on: a guess that may be wrong by a factor of "
                                     "two, measurements of this program's kernels, or what the command said"},
      {"bandwidth",
       "as a part of time: bytes on their way that nothing hides. As a cost: bytes that a link takes in a second"},
      {"bound by",
       "the class of Tong et al. (2016), from 21 configurations around the machine: computation, imbalance, bandwidth, "
       "latency, communication, or mixed where none of the definitions holds; -sensitive is the weaker form"},
      {"byte time", "seconds a link takes for a byte: one over its bandwidth"},
      {"collective", "an MPI call of all members of a communicator"},
      {"communication efficiency",
       "serialisation times transfer: the computation of the rank that computes most, over the run's time"},
      {"compute", "computation: the code between MPI calls"},
      {"confidence", "how far to trust an answer: high, medium or low, with the reasons"},
      {"contention", "messages that share links or ports and slow each other down; SMPI knows it, the model does not"},
      {"copy", "copies of sent messages into the system's buffer"},
      {"critical path", "the chain of computations and messages that makes the run as long as it is"},
      {"CV", "coefficient of variation: standard deviation over mean, of the visits of a kernel"},
      {"eager limit", "messages up to this size do not wait for their receive"},
      {"imbalance", "waiting that no network changes"},
      {"interval", "the times, or savings, over the rates of computation that are to be expected"},
      {"kernel", "the code between two MPI calls, named by the places of these calls"},
      {"latency", "as a part of time: messages' latencies that nothing hides. As a cost: seconds that a message "
                  "without bytes takes"},
      {"load balance", "the mean computation of the ranks over the largest"},
      {"overhead", "the processors' part of messages, and the arithmetic of reductions"},
      {"parallel efficiency",
       "the mean computation of the ranks over the run's time: load balance times communication efficiency"},
      {"price per %", "the price of an upgrade over the per cent of the time that it saves"},
      {"rate", "instructions, or whatever the trace counts, per second and rank"},
      {"serialisation", "what is left of the time when ranks only wait for each other's computation: largest "
                        "computation over the time without communication's cost"},
      {"transfer", "what is left of the time when messages cost time: the time with a network that takes no time over "
                   "the run's time"},
      {"trust", "where a machine's figures come from: measured (all of them, or those within a node only), "
                "published, vendor or assumed"},
      {"twice as good", "a network with twice the bandwidth and half the latency"},
      {"wait", "waiting for another rank to send, to receive, or to come to a collective"},
      {"worth a look",
       "an upgrade that saves as much as is worth having, and is on the Pareto front: no other one of the list is as "
       "fast and cheaper, or as cheap and faster"},
      {"yes, no, depends, perhaps",
       "whether a change saves as much as is worth having: at every rate of the processors that is to be expected, at "
       "none, or at some; perhaps in place of yes, where only the most that is to be had is known: of a perfect "
       "network, which takes no time, and of work divided evenly"},
  }};
  open_section(html, "glossary", "Glossary");
  html.open("details").leaf("summary", "Every term of this page").open("dl");
  for (const auto& [word, meaning] : words)
    html.leaf("dt", word).leaf("dd", meaning);
  html.close().close().close();
}

} // namespace timeless::tools
