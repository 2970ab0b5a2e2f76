#include "tools/planning/nodes.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "base/processes/command.h"
#include "tools/cli/console.h"
#include "tools/planning/sizes.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace timeless::tools {

namespace {

constexpr std::uint32_t most_cores = 1U << 20U;

/// Prints processors, kB of available memory and, where there is one, the limit of the control group in bytes.
constexpr const char* question = "nproc; sed -n 's/^MemAvailable: *\\([0-9]*\\).*/\\1/p' /proc/meminfo; "
                                 "cat /sys/fs/cgroup/memory.max 2>/dev/null || true";

/// A line of a hostfile, and where it stands for errors.
class HostLine {
public:
  HostLine(const std::filesystem::path& file, std::uint32_t line) : file_(file), line_(line) {}

  /// Parses a line; empty for one without a host.
  std::optional<Node> parse(std::string text) const {
    text.erase(std::min(text.find('#'), text.size()));
    std::istringstream words(text);
    Node node{.name = {}, .cores = 0, .memory = 0, .cluster = {}, .line = line_};
    if (!(words >> node.name)) return std::nullopt;
    if (node.name.find('=') != std::string::npos)
      fail("a line begins with a host's name, not with '" + node.name + "'");
    std::uint32_t most = most_cores;
    for (std::string word; words >> word;)
      take(word, node, most);
    node.cores = std::min(node.cores, most);
    return node;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Failure::invalid_input, what, file_.string() + ", line " + std::to_string(line_),
                "a line is: name slots=N memory=SIZE cluster=NAME");
  }

private:
  void take(const std::string& word, Node& node, std::uint32_t& most) const {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) fail("'" + word + "' is no name=value");
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (name == "slots" || name == "cores" || name == "cpu" || name == "count") {
      node.cores = count(word, value);
    } else if (name == "max_slots" || name == "max-slots") {
      most = count(word, value);
    } else if (name == "memory") {
      const std::optional<std::uint64_t> bytes = parse_size(value);
      if (!bytes) fail("'" + word + "' is no size of a memory, such as memory=64G");
      node.memory = *bytes;
    } else if (name == "cluster") {
      if (value.empty()) fail("'" + word + "' names no cluster");
      node.cluster = value;
    } else {
      fail("'" + name + "' is not known of a host");
    }
  }

  std::uint32_t count(const std::string& word, const std::string& value) const {
    std::uint32_t number = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failed != std::errc{} || end != value.data() + value.size() || number == 0 || number > most_cores)
      fail("'" + word + "' is no number of cores");
    return number;
  }

  const std::filesystem::path& file_;
  std::uint32_t line_;
};

void add(std::vector<Node>& nodes, const Node& node, const HostLine& line) {
  const auto before = std::ranges::find(nodes, node.name, &Node::name);
  if (before == nodes.end()) {
    nodes.push_back(node);
    return;
  }
  if (before->cluster != node.cluster)
    line.fail("host " + node.name + " is in another cluster on line " + std::to_string(before->line));
  if (before->memory != 0 && node.memory != 0 && before->memory != node.memory)
    line.fail("host " + node.name + " has another memory on line " + std::to_string(before->line));
  if (before->memory == 0) before->memory = node.memory;
  // A line without slots is one more slot, as for Open MPI.
  const std::uint64_t cores = std::uint64_t{std::max(before->cores, 1U)} + std::max(node.cores, 1U);
  if (cores > most_cores) line.fail("host " + node.name + " has too many cores");
  before->cores = static_cast<std::uint32_t>(cores);
}

bool is_this_machine(const std::string& name) {
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  return name == "localhost" || name == own;
}

struct Answer {
  std::uint32_t cores = 0;
  std::uint64_t memory = 0;
};

Answer ask(const std::string& name, std::vector<std::string> command) {
  command.emplace_back(question);
  const Captured answer = run_captured(command);
  std::istringstream words(answer.output);
  Answer size;
  std::uint64_t available = 0;
  if (answer.status.code() != 0 || !(words >> size.cores >> available) || size.cores == 0 || available == 0)
    throw Error(Failure::runtime,
                "does not tell its cores and memory: " + answer.errors.substr(0, answer.errors.find('\n')),
                "host " + name, "check that '" + command.front() + "' runs commands there, or give slots= and memory=");
  size.memory = available * 1024;
  if (std::uint64_t limit = 0; words >> limit && limit > 0) size.memory = std::min(size.memory, limit);
  return size;
}

} // namespace

std::vector<Node> read_nodes(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26U;
  const std::optional<std::string> content = read_text(file, most_bytes);
  if (!content || content->size() > most_bytes)
    throw Error(Failure::usage, content ? "a list of hosts of more than 64 MiB" : "the list of hosts cannot be read",
                file.string(), "name a file with a host a line");
  std::istringstream in(*content);
  std::vector<Node> nodes;
  std::uint32_t number = 0;
  for (std::string text; std::getline(in, text);) {
    const HostLine line(file, ++number);
    if (text.find('\0') != std::string::npos) line.fail("a zero byte: this is no list of hosts");
    if (const std::optional<Node> node = line.parse(text)) add(nodes, *node, line);
  }
  if (nodes.empty())
    throw Error(Failure::invalid_input, "the list names no host", file.string(),
                "write a host a line: name slots=N memory=SIZE");
  return nodes;
}

void complete_nodes(std::vector<Node>& nodes, const std::filesystem::path& file,
                    const std::vector<std::string>& agent) {
  Progress bar("asking hosts", nodes.size(), "hosts");
  std::uint64_t done = 0;
  for (Node& node : nodes) {
    bar.update(done++);
    if (node.cores != 0 && node.memory != 0) continue;
    std::vector<std::string> command = {"sh", "-c"};
    if (!is_this_machine(node.name)) {
      if (agent.empty())
        throw Error(Failure::usage,
                    "nothing says how " + std::string(node.cores == 0 ? "many cores" : "much memory") + " host " +
                        node.name + " has",
                    file.string() + ", line " + std::to_string(node.line),
                    "add " + std::string(node.cores == 0 ? "slots=N" : "memory=SIZE") +
                        " there, or ask the hosts: --ask 'ssh -o BatchMode=yes'");
      command = agent;
      command.push_back(node.name);
    }
    const Answer answer = ask(node.name, std::move(command));
    if (node.cores == 0) node.cores = answer.cores;
    if (node.memory == 0) node.memory = answer.memory;
  }
}

} // namespace timeless::tools
