#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Who gathers which file, when nodes may share a directory, have one each, or a mixture.
namespace timeless::gather {

/// A rank file as one node sees it. Two nodes see the same file when all fields are equal.
struct SeenFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t fingerprint = 0; ///< of the file's beginning, where its run and rank stand, and of its end
  auto operator<=>(const SeenFile&) const = default;
};

/// Throws Error when it cannot be read.
SeenFile see(const std::filesystem::path& path);

/// Returns the rank files in a directory, by name. Throws Error(runtime) when one cannot be read.
std::vector<SeenFile> see_files(const std::filesystem::path& directory);

std::string encode(const std::vector<SeenFile>& files);
/// Throws Error(runtime) on bytes that encode() did not make.
std::vector<SeenFile> decode_seen_files(std::string_view bytes);

/// What all nodes see. Nodes of one shared directory see the same long list, which is held once.
struct VisibleFiles {
  std::vector<std::vector<SeenFile>> lists;
  std::vector<std::size_t> list_of_node;
};

/// Returns for each node the files it gathers, as indices into what it sees. Each file is gathered once, by a node that
/// sees it, and the bytes are spread evenly over the nodes that have a choice. Files of one name that differ are two
/// files.
std::vector<std::vector<std::size_t>> divide(const VisibleFiles& seen);

} // namespace timeless::gather
