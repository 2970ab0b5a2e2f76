#include "tools/cli/offered_words.h"
#include "tools/cli/option_groups.h"
#include "tools/machines/named_platforms.h"
#include "tools/platforms/catalogue.h"
#include "tools/render/answer.h"
#include "tools/render/platforms/description.h"
#include "tools/render/platforms/judgement.h"
#include "tools/render/platforms/listing.h"
#include "tools/render/platforms/written.h"
#include "tools/verbs/verbs.h"

#include "replay/simgrid/simgrid_platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace timeless::tools {

namespace {

struct PlatformRequest {
  std::string action;
  std::string file;
  std::vector<std::string> between;
  std::string output;
  platforms::Draft draft;
  bool force = false;
  bool json = false;
};

std::string demanded_file(const PlatformRequest& options) {
  if (options.file.empty())
    throw Error(Failure::usage, "no platform file is named", "", "write timeless platform " + options.action + " FILE");
  return platform_file(options.file);
}

void refuse_file(const PlatformRequest& options) {
  if (!options.file.empty())
    throw Error(Failure::usage, "timeless platform " + options.action + " takes no file", options.file,
                options.action == "new" ? "give -o FILE for the file to write" : "use show for one file");
}

template <typename Answer>
void print(const PlatformRequest& options, const Answer& answer) {
  print_answer("platform", 1, answer, options.json);
}

platforms::PlatformListing listing() {
  std::optional<Progress> progress;
  return platforms::list_platforms([&](std::size_t done, std::size_t total) {
    if (!progress) progress.emplace("loading", total, "platforms");
    progress->update(done);
  });
}

void show(const PlatformRequest& options) {
  const replay::SimgridPlatform platform = replay::SimgridPlatform::load(demanded_file(options));
  platforms::PlatformDescription description{.platform = platform, .between = {}};
  if (!options.between.empty())
    description.between = {platforms::host_named(platform, options.between[0]),
                           platforms::host_named(platform, options.between[1])};
  print(options, description);
}

int check(const PlatformRequest& options) {
  const std::string file = demanded_file(options);
  std::optional<Progress> bar;
  const platforms::Judgement judgement = platforms::judge(file, [&](std::uint64_t done, std::uint64_t total) {
    if (!bar) bar.emplace("looking for ways between hosts", total, "pairs");
    bar->update(done);
  });
  bar.reset();
  print(options, judgement);
  return judgement.good() ? 0 : static_cast<int>(judgement.failure());
}

int platform(const PlatformRequest& options) {
  if (options.action == "check") return check(options);
  if (options.action == "list") {
    refuse_file(options);
    print(options, listing());
  } else if (options.action == "show") {
    show(options);
  } else if (options.action == "upgrade") {
    print(options, platforms::write_upgraded(demanded_file(options), options.output, options.force));
  } else {
    refuse_file(options);
    const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    print(options, platforms::write_new(options.draft, options.output, terminal, options.force));
  }
  return 0;
}

} // namespace

VerbAction add_platform(CLI::App& command) {
  auto options = std::make_shared<PlatformRequest>();
  const std::vector<std::string> actions{"list", "show", "check", "upgrade", "new"};
  command.add_option("action", options->action, fmt::format("One of {}", fmt::join(actions, ", ")))
      ->required()
      ->check(CLI::IsMember(actions))
      ->type_name("")
      ->always_capture_default(false);
  CLI::Option* const file =
      command.add_option("file", options->file, "The platform file, or the name of one that comes with Timeless")
          ->type_name("")
          ->always_capture_default(false);
  offer_words(*file, known_platforms(), AlsoAccepts::files);
  begin_group(command, "Answers");
  command.add_option("--between", options->between, "With show: the way from one host to another, and back")
      ->expected(2)
      ->type_name("HOST HOST")
      ->default_str("")
      ->always_capture_default(false);
  begin_group(command, "Output");
  command.add_option("-o,--output", options->output, "With upgrade and new: the file to write")
      ->type_name("FILE")
      ->always_capture_default(false);
  platforms::Draft& draft = options->draft;
  const auto add = [&](const char* name, std::string& value, const char* type, const char* what) {
    command.add_option(name, value, what)->type_name(type)->always_capture_default(false);
  };
  begin_group(command, "A new platform");
  add("--nodes", draft.nodes, "N", "With new: how many nodes");
  add("--cores", draft.cores, "N", "With new: cores of a node (16 when not given)");
  add("--speed", draft.speed, "SPEED", "With new: instructions per second of a core (8Gf when not given)");
  add("--topology", draft.topology, "WORD", "With new: cluster (one switch), fat-tree, torus or dragonfly");
  offer_words(*command.get_option("--topology"), platforms::topologies());
  add("--parameters", draft.parameters, "LIST", "With new: SimGrid's topo_parameters; chosen to fit when not given");
  add("--bandwidth", draft.bandwidth, "RATE", "With new: bandwidth of a link, such as 12.5GBps or 100Gbps");
  add("--latency", draft.latency, "TIME", "With new: latency of a link, such as 500ns; a message crosses two or more");
  add("--loopback-bandwidth", draft.loopback_bandwidth, "RATE",
      "With new: bandwidth within a node (10GBps when not given)");
  add("--loopback-latency", draft.loopback_latency, "TIME", "With new: latency within a node (500ns when not given)");
  begin_group(command, "Output");
  command.add_flag("--force", options->force, "Replace an existing file");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.platform/1)");
  command.footer(
      "Examples: timeless platform list\n"
      "          timeless platform show graphene --between graphene-1 graphene-140\n"
      "          timeless platform check mine.xml\n"
      "          timeless platform upgrade old.xml -o new.xml\n"
      "          timeless platform new --nodes 64 --bandwidth 100Gbps --latency 500ns --topology fat-tree -o mine.xml");
  return [options] { return platform(*options); };
}

} // namespace timeless::tools
