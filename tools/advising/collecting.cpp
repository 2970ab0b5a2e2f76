#include "tools/advising/collecting.h"

#include "base/error.h"
#include "base/files/new_file.h"
#include "base/files/temporary_file.h"
#include "base/files/text_file.h"
#include "base/processes/child.h"
#include "replay/simgrid/mapping.h"
#include "tools/advising/data_file.h"
#include "tools/advising/examined_case.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

/// A run on a platform at one speed, to be examined.
struct CollectJob {
  std::string trace;
  std::string platform;
  double compute = 1; ///< as a factor of the time
  /// The row that is there, where nothing but the time on links that nobody shares is missing.
  std::optional<analysis::AdvisorRow> row = {};
};

/// Examines in a process of its own, which leaves rows or an error's words in a file.
[[noreturn]] void examine_apart(const CollectJob& job, const CollectRequest& request, const fs::path& rows,
                                const fs::path& error_file) {
  // What it would say of its progress, and SimGrid of itself, would stand between the lines of others.
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    (void)dup2(nowhere, stream);
  try {
    PredictionOptions options = request.prediction;
    options.trace = job.trace;
    options.platforms = {job.platform};
    options.compute = {job.compute};
    const auto source = open_trace(job.trace, options.from);
    if (const std::string lack = incompleteness(source->run()); !lack.empty())
      throw Error(Failure::partial, "the recording is not whole: " + lack, {}, "record it to its end");
    analysis::AdvisorData data;
    if (job.row) {
      data.rows.push_back(*job.row);
      add_unshared_time(data.rows.front(), *source, options);
    } else {
      data.rows = examine_case(*source, options, request.simulations).rows;
      data.rows.front().synthetic = request.synthetic;
    }
    write_file(rows, to_csv(data), Existing::replace);
    _exit(0);
  } catch (const std::exception& error) {
    try {
      write_file(error_file, error.what(), Existing::replace);
    } catch (const std::exception&) {
      _exit(1); // its parent says that nothing was said
    }
    _exit(1);
  }
}

/// The jobs under way, the rows that are there, and the file that has them.
class Collection {
public:
  explicit Collection(const CollectRequest& request)
      : request_(request), answer_{.output = request.output}, directory_(fs::temp_directory_path(), "advise") {
    directory_.create_directory();
    if (!request.force && fs::exists(request.output)) data_ = read_advisor_data(request.output);
  }

  CollectAnswer run() {
    const std::vector<CollectJob> jobs = open_jobs();
    Progress progress("collecting", jobs.size(), "runs");
    for (std::size_t finished = 0; finished < jobs.size();) {
      while (children_.size() < std::min(jobs.size(), finished + request_.jobs))
        start(jobs[children_.size()]);
      finish(first_to_end(children_));
      progress.update(++finished);
    }
    if (answer_.fresh + answer_.completed == 0 && (request_.force || !fs::exists(request_.output)))
      write_file(request_.output, to_csv(data_), Existing::replace);
    answer_.rows = data_.rows.size();
    return std::move(answer_);
  }

private:
  /// Returns whether it has all that is asked for.
  bool is_whole(const analysis::AdvisorRow& row) const {
    switch (request_.simulations) {
    case Simulations::none:
      return true;
    case Simulations::shared:
      return row.simulated();
    case Simulations::shared_and_unshared:
      return row.simulated(analysis::AdvisorLabel::contention);
    }
    return false;
  }

  /// Returns what makes the rows that the file does not have, or completes them: each in a process of its own, since
  /// SimGrid loads one platform, and an interruption loses the rows under way.
  std::vector<CollectJob> open_jobs() {
    std::vector<double> speeds;
    for (const double compute : request_.prediction.compute)
      if (std::ranges::find(speeds, compute) == speeds.end()) speeds.push_back(compute);
    std::vector<CollectJob> jobs;
    for (const std::string& trace : request_.traces)
      for (const std::string& platform : request_.prediction.platforms)
        for (const double compute : speeds) {
          CollectJob job{trace, platform, compute};
          const auto row = std::ranges::find_if(data_.rows, [&](const analysis::AdvisorRow& one) {
            return one.trace == file_name(trace) && one.platform == platform_file(platform).stem().string() &&
                   one.compute == 1 / compute && one.mapping == request_.prediction.machine.mapping;
          });
          if (row != data_.rows.end() && row->synthetic != request_.synthetic)
            throw Error(Failure::usage,
                        row->synthetic ? "rows of this program are there as a generated one's"
                                       : "rows of this program are there, not as a generated one's",
                        row->trace, "call collect as before, with or without --synthetic, or write to another file");
          if (row != data_.rows.end() && is_whole(*row)) {
            ++answer_.kept;
            continue;
          }
          if (row != data_.rows.end() && row->simulated()) job.row = *row;
          jobs.push_back(std::move(job));
        }
    return jobs;
  }

  void start(const CollectJob& job) {
    const std::string part = (directory_.path() / fmt::to_string(running_.size())).string();
    const Running& running = running_.emplace_back(Running{job, part + ".csv", part + ".error"});
    children_.push_back(Child::fork([&] { examine_apart(job, request_, running.rows, running.error); }));
  }

  void finish(std::size_t place) {
    const ExitStatus status = children_[place].wait();
    const Running& done = running_[place];
    if (status.code() != 0) {
      constexpr std::size_t most = 4096;
      std::string words = read_text(done.error, most).value_or("");
      // A reason is one line.
      for (std::size_t at = words.find('\n'); at != std::string::npos; at = words.find('\n'))
        words.replace(at, std::min(words.find_first_not_of(" \n", at), words.size()) - at, "; ");
      RefusedCase refused{done.job.trace, done.job.platform, words.empty() ? "it ended without a word" : words};
      // At all speeds for one reason, mostly.
      if (std::ranges::find(answer_.refused, refused) == answer_.refused.end())
        answer_.refused.push_back(std::move(refused));
      return;
    }
    for (analysis::AdvisorRow& row : read_advisor_data(done.rows).rows) {
      const auto there = std::ranges::find_if(data_.rows, [&](const analysis::AdvisorRow& old) {
        return old.trace == row.trace && old.platform == row.platform && old.mapping == row.mapping &&
               old.compute == row.compute;
      });
      if (there != data_.rows.end()) {
        *there = std::move(row);
        ++answer_.completed;
      } else {
        data_.rows.push_back(std::move(row));
        ++answer_.fresh;
      }
    }
    write_file(request_.output, to_csv(data_), Existing::replace);
  }

  struct Running {
    CollectJob job;
    fs::path rows;
    fs::path error;
  };

  const CollectRequest& request_;
  CollectAnswer answer_;
  analysis::AdvisorData data_;
  TemporaryFile directory_;
  // By job, those that have ended too:
  std::vector<Child> children_;
  std::vector<Running> running_;
};

} // namespace

CollectAnswer collect(const CollectRequest& request) {
  if (request.prediction.platforms.empty())
    throw Error(Failure::usage, "no platform", "--platforms", "name some, as in --platforms graphene,ethernet-10g");
  const PresetMachineOptions& machine = request.prediction.machine;
  (void)replay::parse_mapping(machine.mapping, machine.hostfile);
  std::set<std::string> names;
  for (const std::string& trace : request.traces) {
    if (std::error_code unknown; !fs::exists(trace, unknown))
      throw Error(Failure::invalid_input, "there is no such trace", trace, "name archives that timeless gather wrote");
    if (std::ranges::count(request.traces, trace) > 1)
      throw Error(Failure::usage, "a trace is named twice", trace, "name it once");
    if (!names.insert(file_name(trace)).second)
      throw Error(Failure::usage, "two traces are called the same: a row is known by its trace's name", trace,
                  "rename one of them");
  }
  for (const std::string& platform : request.prediction.platforms)
    (void)platform_file(platform);
  return Collection(request).run();
}

} // namespace timeless::tools
