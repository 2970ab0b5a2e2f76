#pragma once

#include <pugixml.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace timeless::replay {

/// An XML file as it stands, comments and line breaks included, with line numbers. What it does not do is resolve
/// entities or fetch a DTD: a file cannot make it larger than it is.
class XmlFile {
public:
  /// Throws Error(invalid_input), with the line, for a file that cannot be read, is no XML, holds more than 64 MiB or
  /// nests more than 64 elements.
  static XmlFile read(const std::filesystem::path& file);

  const std::filesystem::path& path() const { return path_; }
  pugi::xml_document& document() { return document_; }
  const pugi::xml_document& document() const { return document_; }
  /// Returns the line that an element begins in, from 1.
  std::size_t line_of(const pugi::xml_node& node) const;
  /// Visits every element, in the order of the file.
  void visit(const std::function<void(pugi::xml_node)>& each) const;

private:
  std::size_t line_at(std::ptrdiff_t offset) const;

  std::filesystem::path path_;
  std::vector<std::size_t> line_begins_;
  pugi::xml_document document_;
};

} // namespace timeless::replay
