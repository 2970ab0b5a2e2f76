#include "replay/simgrid/xml_file.h"

#include "base/error.h"
#include "replay/network/file_kind.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace timeless::replay {

namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20U;
constexpr int deepest = 64;

std::string contents(const std::filesystem::path& file) {
  std::error_code ignored;
  // Not opened before it is known to be a file: a pipe without a writer would wait for one.
  std::ifstream in;
  if (std::filesystem::is_regular_file(file, ignored)) in.open(file, std::ios::binary);
  if (!in.is_open())
    throw Error(Failure::invalid_input, "cannot read the platform file", file.string(),
                "name a SimGrid platform file (.xml); timeless platform list shows those that are here");
  if (std::filesystem::file_size(file, ignored) > largest_file)
    throw Error(Failure::invalid_input, "the platform file is larger than 64 MiB", file.string(),
                "write hosts that are alike as a <cluster>");
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

XmlFile XmlFile::read(const std::filesystem::path& file) {
  const std::string text = contents(file);
  XmlFile xml;
  xml.path_ = file;
  xml.line_begins_.push_back(0);
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') xml.line_begins_.push_back(at + 1);
  const pugi::xml_parse_result result = xml.document_.load_buffer(
      text.data(), text.size(), pugi::parse_full | pugi::parse_ws_pcdata, pugi::encoding_utf8);
  if (const auto kind = result ? std::nullopt : file_kind(text); kind && !text.starts_with('<'))
    throw Error(Failure::invalid_input, "this is " + kind->what + ", no platform", file.string(), kind->advice);
  if (!result)
    throw Error(Failure::invalid_input, std::string("this is no XML: ") + result.description(),
                file.string() + ":" + std::to_string(xml.line_at(result.offset)),
                "close every element, and begin the file with <?xml version='1.0'?>");
  // Not by recursion: the depth is what may be wrong.
  int depth = 0;
  for (pugi::xml_node node = xml.document_; node;) {
    if (pugi::xml_node child = node.first_child()) {
      if (++depth > deepest)
        throw Error(Failure::invalid_input, "elements are nested more than 64 deep",
                    file.string() + ":" + std::to_string(xml.line_of(child)), "close elements before the next begins");
      node = child;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node.next_sibling();
  }
  return xml;
}

std::size_t XmlFile::line_at(std::ptrdiff_t offset) const {
  const auto after =
      std::ranges::upper_bound(line_begins_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
  return static_cast<std::size_t>(after - line_begins_.begin());
}

std::size_t XmlFile::line_of(const pugi::xml_node& node) const {
  return line_at(node.offset_debug());
}

void XmlFile::visit(const std::function<void(pugi::xml_node)>& each) const {
  for (pugi::xml_node node = document_.first_child(); node;) {
    if (node.type() == pugi::node_element) each(node);
    if (pugi::xml_node child = node.first_child()) {
      node = child;
      continue;
    }
    while (node && !node.next_sibling())
      node = node.parent();
    node = node.next_sibling();
  }
}

} // namespace timeless::replay
