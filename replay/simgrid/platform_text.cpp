#include "replay/simgrid/platform_text.h"

#include "base/descriptors.h"
#include "base/error.h"
#include "base/escaping.h"
#include "replay/simgrid/impossible_figures.h"
#include "replay/simgrid/topologies.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace timeless::replay {

namespace {

constexpr std::array harmless{
    "bmf/max-iterations",
    "bmf/precision",
    "cpu/maxmin-selective-update",
    "cpu/model",
    "cpu/optim",
    "cpu/solver",
    "disk/model",
    "disk/solver",
    "host/model",
    "host/solver",
    "maxmin/concurrency-limit",
    "maxmin/precision",
    "network/TCP-gamma",
    "network/bandwidth-factor",
    "network/crosstraffic",
    "network/latency-factor",
    "network/loopback-bw",
    "network/loopback-lat",
    "network/maxmin-selective-update",
    "network/model",
    "network/optim",
    "network/solver",
    "network/weight-S",
    "smpi/IB-penalty-factors",
    "smpi/allgather",
    "smpi/allgatherv",
    "smpi/allreduce",
    "smpi/alltoall",
    "smpi/alltoallv",
    "smpi/async-small-thresh",
    "smpi/barrier",
    "smpi/bcast",
    "smpi/bw-factor",
    "smpi/coll-selector",
    "smpi/cpu-threshold",
    "smpi/errors-are-fatal",
    "smpi/finalization-barrier",
    "smpi/gather",
    "smpi/grow-injected-times",
    "smpi/host-speed",
    "smpi/init",
    "smpi/iprobe",
    "smpi/iprobe-cpu-usage",
    "smpi/lat-factor",
    "smpi/ois",
    "smpi/or",
    "smpi/os",
    "smpi/pedantic",
    "smpi/reduce",
    "smpi/reduce_scatter",
    "smpi/scatter",
    "smpi/send-is-detached-thresh",
    "smpi/simulate-computation",
    "smpi/test",
    "smpi/wtime",
    "surf/precision",
};

bool is_element(const pugi::xml_node& node, std::string_view name) {
  return node.type() == pugi::node_element && name == node.name();
}

bool is_setting(const pugi::xml_node& node) {
  return is_element(node, "prop") && is_element(node.parent(), "config");
}

/// SimGrid parts the text of a setting at blanks and commas, and takes each part for a setting.
void demand_one_setting(const XmlFile& file, const pugi::xml_node& node) {
  constexpr std::string_view others = "_-+.:;/%";
  for (const char* attribute : {"id", "value"}) {
    const std::string_view text = node.attribute(attribute).value();
    const bool plain = std::ranges::all_of(text, [&](char letter) {
      const bool word = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
      return word || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
    });
    if (!plain)
      throw Error(Failure::invalid_input,
                  "blanks, commas or other signs in the name or value of a setting: " + in_quotes(text),
                  file.path().string() + ":" + std::to_string(file.line_of(node)),
                  "write letters, digits and _-+.:;/% alone, as in 0:1;65536:0.9");
  }
}

/// Writes elements and attributes, each element in its line.
class Writer {
public:
  explicit Writer(const XmlFile& file) : file_(file) {}

  std::string text() && {
    for (const pugi::xml_node& node : file_.document().children())
      write(node);
    return std::move(text_) + "\n";
  }

private:
  void write(const pugi::xml_node& node) {
    switch (node.type()) {
    case pugi::node_declaration:
      text_ += "<?xml version='1.0'?>";
      break;
    case pugi::node_doctype:
      write_doctype(node);
      break;
    case pugi::node_element:
      write_element(node);
      break;
    case pugi::node_pcdata:
    case pugi::node_cdata:
      if (std::string_view(node.value()).find_first_not_of(" \t\r\n") != std::string_view::npos) {
        go_to_line_of(node);
        escape(node.value());
      }
      break;
    default: // comments and instructions
      break;
    }
  }

  void write_doctype(const pugi::xml_node& node) {
    const std::string_view value = node.value();
    if (value.find_first_of("[<>") != std::string_view::npos)
      throw Error(Failure::invalid_input, "a DOCTYPE with definitions of its own",
                  file_.path().string() + ":" + std::to_string(file_.line_of(node)),
                  "write <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">");
    go_to_line_of(node);
    text_ += "<!DOCTYPE " + std::string(value) + ">";
    line_ += static_cast<std::size_t>(std::ranges::count(value, '\n'));
  }

  void write_element(const pugi::xml_node& node) {
    if (is_setting(node) && !may_be_set_by_a_file(node.attribute("id").value())) return;
    go_to_line_of(node);
    text_ += '<';
    text_ += node.name();
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      text_ += ' ';
      text_ += attribute.name();
      text_ += "=\"";
      escape(attribute.value());
      text_ += '"';
    }
    if (!node.first_child()) {
      text_ += "/>";
      return;
    }
    text_ += '>';
    for (const pugi::xml_node& child : node.children()) // no deeper than XmlFile lets them be
      write(child);
    text_ += "</";
    text_ += node.name();
    text_ += '>';
  }

  void go_to_line_of(const pugi::xml_node& node) {
    for (const std::size_t line = file_.line_of(node); line_ < line; ++line_)
      text_ += '\n';
  }

  void escape(std::string_view value) {
    for (const char letter : value)
      switch (letter) {
      case '<':
        text_ += "&lt;";
        break;
      case '>':
        text_ += "&gt;";
        break;
      case '&':
        text_ += "&amp;";
        break;
      case '"':
        text_ += "&quot;";
        break;
      case '\n':
        text_ += ' '; // as XML has it for attributes
        break;
      default:
        text_ += letter;
      }
  }

  const XmlFile& file_;
  std::string text_;
  std::size_t line_ = 1;
};

/// Names the commonest mistake before SimGrid explains it at length.
void check_head(const XmlFile& file) {
  const pugi::xml_node root = file.document().document_element();
  if (!is_element(root, "platform"))
    throw Error(Failure::invalid_input, "this is not a SimGrid platform file", file.path().string(),
                "it has no <platform> element");
  const std::string_view version = root.attribute("version").value();
  const std::size_t end = std::min(version.find_first_not_of("0123456789"), version.size());
  if (end == 1 && version.front() < '4')
    throw Error(Failure::invalid_input,
                "the platform file has the old format of version " + std::string(version.substr(0, 1)),
                file.path().string(), "convert it: timeless platform upgrade " + file.path().string() + " -o NEW.xml");
}

int in_memory(std::string_view text) {
  const int file = ::memfd_create("platform", MFD_CLOEXEC);
  const auto fail = [&] {
    const int code = errno;
    if (file >= 0) ::close(file);
    throw Error(Failure::runtime, "cannot make a file in memory", {}, std::strerror(code));
  };
  if (file < 0 || !write_whole(file, text)) fail();
  return file;
}

} // namespace

bool may_be_set_by_a_file(std::string_view setting) {
  if (std::ranges::find(harmless, setting) != harmless.end()) return true;
  const std::string newer = present_name(setting);
  return newer == "smpi/running-power" || std::ranges::find(harmless, newer) != harmless.end();
}

std::uint64_t count_hosts(const XmlFile& file) {
  std::uint64_t hosts = 0;
  file.visit([&](const pugi::xml_node& node) {
    const auto add = [&](const Parsed<std::uint64_t>& some) {
      const std::string where = file.path().string() + ":" + std::to_string(file.line_of(node));
      if (!some.value) throw Error(Failure::invalid_input, some.mistake, where, some.advice);
      hosts += *some.value;
      if (hosts > most_hosts)
        throw Error(Failure::invalid_input, "these are more than a million hosts", where,
                    "describe a part of the machine");
    };
    if (is_element(node, "host") || is_element(node, "peer")) add({.value = 1});
    if (is_element(node, "cabinet") || is_element(node, "cluster"))
      add(count_radical(node.attribute("radical").value()));
    const std::string_view topology = node.attribute("topology").as_string("FLAT");
    if (is_element(node, "cluster") && topology != "FLAT") {
      const auto made = count_topology(topology, node.attribute("topo_parameters").value());
      const auto named = count_radical(node.attribute("radical").value());
      if (!made.value)
        add(made);
      else if (*made.value != *named.value) // the same hosts
        add({.mistake = "its topo_parameters make " + std::to_string(*made.value) + " hosts, its radical names " +
                        std::to_string(*named.value),
             .advice = "write radical=\"0-" + std::to_string(*made.value - 1) + "\" or other parameters"});
    }
  });
  return hosts;
}

namespace {

/// SimGrid opens the profiles that a file names; one that is no file could keep it waiting for ever.
void demand_profiles_are_files(const XmlFile& file, const std::filesystem::path& directory) {
  file.visit([&](const pugi::xml_node& node) {
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (!name.ends_with("_file") && !(name == "file" && is_element(node, "trace"))) continue;
      std::error_code unknown;
      const auto status = std::filesystem::status(directory / attribute.value(), unknown);
      if (!*attribute.value() || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) continue;
      throw Error(Failure::invalid_input, "no file: " + in_quotes(std::string_view(attribute.value())),
                  file.path().string() + ":" + std::to_string(file.line_of(node)), "name a file with a profile");
    }
  });
}

void demand_possible_figures(const XmlFile& file) {
  const std::vector<ImpossibleFigure> found = impossible_figures(file);
  if (found.empty()) return;
  const ImpossibleFigure& first = found.front();
  throw Error(Failure::invalid_input, first.what, file.path().string() + ":" + std::to_string(first.line),
              first.advice);
}

} // namespace

PlatformText PlatformText::read(const std::filesystem::path& file) {
  PlatformText text(XmlFile::read(file));
  check_head(text.xml_);
  count_hosts(text.xml_);
  demand_possible_figures(text.xml_);
  demand_profiles_are_files(text.xml_, text.directory());
  text.xml_.visit([&](const pugi::xml_node& node) {
    if (!is_setting(node)) return;
    const std::string name = node.attribute("id").value();
    if (may_be_set_by_a_file(name))
      demand_one_setting(text.xml_, node);
    else
      text.ignored_.push_back({.name = name, .line = text.xml_.line_of(node)});
  });
  text.file_ = in_memory(Writer(text.xml_).text());
  return text;
}

PlatformText::PlatformText(PlatformText&& other) noexcept
    : xml_(std::move(other.xml_)), ignored_(std::move(other.ignored_)), file_(std::exchange(other.file_, -1)) {}

PlatformText::~PlatformText() {
  if (file_ >= 0) ::close(file_);
}

std::string PlatformText::path_for_simgrid() const {
  return "/proc/self/fd/" + std::to_string(file_);
}

std::filesystem::path PlatformText::directory() const {
  return xml_.path().has_parent_path() ? xml_.path().parent_path() : std::filesystem::path(".");
}

} // namespace timeless::replay
