#include "gather/parts/rank_files.h"

#include "base/error.h"
#include "trace/codec/format.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace timeless::gather {

std::optional<trace::Rank> rank_of_file_name(std::string_view name) {
  constexpr std::string_view prefix = "rank-";
  if (!name.starts_with(prefix) || !name.ends_with(trace::archive_extension)) return std::nullopt;
  const std::string_view digits =
      name.substr(prefix.size(), name.size() - prefix.size() - trace::archive_extension.size());
  if (digits.size() < 6) return std::nullopt;
  trace::Rank rank = trace::no_rank;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (error != std::errc() || end != digits.data() + digits.size() || rank < 0) return std::nullopt;
  return rank;
}

std::vector<RankFile> list_rank_files(const std::filesystem::path& directory) {
  std::vector<RankFile> files;
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) return files;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (const auto rank = rank_of_file_name(entry->path().filename().native())) files.push_back({*rank, entry->path()});
  if (error) throw Error(Failure::runtime, "cannot list the directory: " + error.message(), directory.string());
  std::ranges::sort(files, [](const RankFile& left, const RankFile& right) {
    return left.rank != right.rank ? left.rank < right.rank : left.path < right.path;
  });
  return files;
}

std::vector<std::filesystem::path> list_spawned_worlds(const std::filesystem::path& directory) {
  constexpr std::string_view prefix = "spawned-";
  std::vector<std::pair<int, std::filesystem::path>> worlds;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int number = 0;
    const char* const end = name.data() + name.size();
    if (name.starts_with(prefix) && std::from_chars(name.data() + prefix.size(), end, number).ptr == end && number > 0)
      worlds.emplace_back(number, entry->path());
  }
  std::ranges::sort(worlds);
  std::vector<std::filesystem::path> paths;
  for (auto& [number, path] : worlds)
    paths.push_back(std::move(path));
  return paths;
}

} // namespace timeless::gather
