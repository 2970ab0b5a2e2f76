#include "tools/recording/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace timeless::tools {

namespace {

/// A file's bytes, mapped; every access is checked.
class MappedFile {
public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &status_) == 0 && S_ISREG(status_.st_mode) && status_.st_size > 0) {
      void* mapped = mmap(nullptr, static_cast<std::size_t>(status_.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) bytes_ = {static_cast<const char*>(mapped), static_cast<std::size_t>(status_.st_size)};
    }
    close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  std::string_view bytes() const { return bytes_; }
  mode_t mode() const { return status_.st_mode; }

private:
  std::string_view bytes_;
  struct stat status_ {};
};

template <typename Struct>
std::optional<Struct> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::vector<Elf64_Phdr> segments(std::string_view bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> all;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i)
    if (const auto segment = read_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr)))
      all.push_back(*segment);
  return all;
}

/// Returns where in the file the byte at this address of the loaded program stands.
std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

std::string string_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::vector<std::string> needed_libraries(std::string_view bytes, const std::vector<Elf64_Phdr>& segments,
                                          const Elf64_Phdr& dynamic) {
  std::vector<std::uint64_t> names;
  std::uint64_t strings = 0;
  for (std::uint64_t at = 0; at < dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto entry = read_at<Elf64_Dyn>(bytes, dynamic.p_offset + at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
  }
  std::vector<std::string> libraries;
  if (const auto table = file_offset(segments, strings))
    for (const std::uint64_t name : names)
      libraries.push_back(string_at(bytes, *table + name));
  return libraries;
}

bool has_name(std::string_view bytes, std::string_view name) {
  return bytes.find('\0' + std::string(name) + '\0') != bytes.npos;
}

void inspect_elf(std::string_view bytes, ProgramFile& program) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || (header->e_type != ET_EXEC && header->e_type != ET_DYN))
    return;
  program.kind = ProgramKind::static_program;
  const std::vector<Elf64_Phdr> all = segments(bytes, *header);
  const bool interpreted = std::ranges::any_of(all, [](const Elf64_Phdr& each) { return each.p_type == PT_INTERP; });
  const auto dynamic = std::ranges::find(all, PT_DYNAMIC, &Elf64_Phdr::p_type);
  if (!interpreted || dynamic == all.end()) return;
  program.kind = ProgramKind::dynamic_program;
  program.needed = needed_libraries(bytes, all, *dynamic);
  // The name among its symbols, without a library that would have it.
  program.holds_mpi = has_name(bytes, "PMPI_Init");
  program.calls_mpi = has_name(bytes, "MPI_Init") || has_name(bytes, "MPI_Init_thread") || has_name(bytes, "mpi_init_");
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

ProgramFile inspect_program(const std::filesystem::path& path) {
  ProgramFile program;
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  if (bytes.starts_with("#!")) program.kind = ProgramKind::script;
  if (bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) inspect_elf(bytes, program);
  program.set_user_id = program.kind != ProgramKind::not_a_program && (file.mode() & (S_ISUID | S_ISGID)) != 0;
  return program;
}

MpiLibrary mpi_library_of(const ProgramFile& program) {
  MpiLibrary library = MpiLibrary::none;
  for (const std::string& name : program.needed) {
    if (name.starts_with("libmpi_abi.")) return MpiLibrary::standard;
    // Debian's MPICH, MPICH's, Intel's and MVAPICH's common name, and Cray's for each compiler.
    if (starts_with_any(name, {"libmpich", "libmpifort", "libmpicxx", "libmpi.so.12", "libmpi_cray", "libmpi_gnu_",
                               "libmpi_intel", "libmpi_nvidia_"}))
      return MpiLibrary::mpich;
    if (starts_with_any(name, {"libmpi.so", "libmpi_", "libmpi+"})) library = MpiLibrary::open_mpi;
  }
  return library;
}

bool starts_ranks(const std::string& path) {
  return starts_with_any(std::filesystem::path(path).filename().string(),
                         {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun", "ibrun"});
}

} // namespace timeless::tools
