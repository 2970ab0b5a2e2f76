#include "recorded.h"
#include "tests/temporary_directory.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// The table of MPI calls against MPI's header, and the library against the table.
namespace {

using timeless::test::content;

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern, std::regex::multiline);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.insert((*match)[1].str());
  return found;
}

std::set<std::string> rows_of_table() {
  return matches(content(TIMELESS_CALLS), R"(^(\w+)\()");
}

/// What tracer/wrappers/call_table.py makes of these files, or says is wrong with them.
struct Comparison {
  int status = 0;
  std::string page;
  std::string problems;
};

Comparison compare(const std::string& header, const std::string& not_covered) {
  const timeless::test::TemporaryDirectory directory;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(directory / name) << text;
    return (directory / name).string();
  };
  const std::string page = (directory / "calls.md").string();
  const std::string problems = (directory / "problems").string();
  const std::string command = TIMELESS_CALL_TABLE " " TIMELESS_CALLS " " + write("not_covered.def", not_covered) +
                              " " TIMELESS_ACTION_KINDS " " + write("mpi.h", header) + " " + page + " 2>" + problems;
  const int status = std::system(command.c_str());
  return {status, content(page), content(problems)};
}

/// Returns what `nm` says of the library, a symbol a line.
std::vector<std::string> symbols(const std::string& options) {
  std::vector<std::string> found;
  const std::string command = "nm -D " + options + " " TIMELESS_LIBRARY;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 1024> line{};
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    std::istringstream words(line.data());
    std::string word;
    std::string last;
    while (words >> word)
      last = word;
    found.push_back(last.substr(0, last.find('@')));
  }
  EXPECT_EQ(pclose(pipe), 0);
  return found;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

TEST(CallTable, covers_mpi_or_says_why_not_as_the_page_in_the_documentation_says) {
  const Comparison found = compare(content(TIMELESS_MPI_HEADER), content(TIMELESS_NOT_COVERED));
  EXPECT_EQ(found.status, 0) << found.problems;
  EXPECT_EQ(found.page, content(TIMELESS_CALLS_PAGE)) << "copy tracer/generated/calls.md of the build to docs/calls.md";
}

TEST(CallTable, a_function_that_is_neither_covered_nor_listed_fails) {
  const Comparison found = compare(content(TIMELESS_MPI_HEADER) + "OMPI_DECLSPEC  int MPI_Send_parcel(int weight);\n",
                                   content(TIMELESS_NOT_COVERED));
  EXPECT_NE(found.status, 0);
  EXPECT_EQ(found.problems, "MPI_Send_parcel has no row in calls.def and no reason in not_covered.def\n");
}

TEST(CallTable, a_row_without_a_function_fails) {
  const std::string without =
      std::regex_replace(content(TIMELESS_MPI_HEADER), std::regex("MPI_Waitsome\\("), "MPI_Waitnone(");
  const Comparison found = compare(without, content(TIMELESS_NOT_COVERED) + "Waitnone : a test\n");
  EXPECT_NE(found.status, 0);
  EXPECT_EQ(found.problems, "calls.def: mpi.h has no MPI_Waitsome\n");
}

TEST(CallTable, a_reason_for_no_function_or_a_covered_one_fails) {
  const Comparison found =
      compare(content(TIMELESS_MPI_HEADER), content(TIMELESS_NOT_COVERED) + "Send_parcel Recv : a test\n");
  EXPECT_NE(found.status, 0);
  EXPECT_EQ(found.problems, "not_covered.def: Send_parcel matches no function of mpi.h\n"
                            "not_covered.def: Recv matches MPI_Recv, which calls.def has\n");
}

TEST(Library, exports_every_row_under_its_c_names_and_the_fortran_names_that_are_no_librarys_own) {
  const std::vector<std::string> list = symbols("--defined-only");
  const std::set<std::string> exported(list.begin(), list.end());
  for (const std::string& row : rows_of_table()) {
    const std::string small = "mpi_" + lower(row);
    for (const std::string& name :
         {"MPI_" + row, "PMPI_" + row, small + "_", small + "__", "MPI_" + upper(row), small + "_f08_"})
      EXPECT_TRUE(exported.contains(name)) << name;
    EXPECT_FALSE(exported.contains(small)) << small;
  }
}

/// Of threads: what creates them, and in what they wait for each other.
bool is_of_threads(const std::string& symbol) {
  for (const std::string_view family : {"pthread_barrier_", "pthread_cond_", "sem_", "GOMP_"})
    if (symbol.starts_with(family)) return true;
  return symbol == "pthread_create" || symbol == "thrd_create" || symbol == "thrd_join" || symbol == "thrd_detach" ||
         symbol == "pthread_detach" || (symbol.starts_with("pthread_") && symbol.find("join") != std::string::npos);
}

/// What sets handlers of signals.
bool is_of_signals(const std::string& symbol) {
  constexpr std::array<std::string_view, 7> names = {"sigaction",   "signal",        "ssignal", "bsd_signal",
                                                     "sysv_signal", "__sysv_signal", "sigset"};
  return std::ranges::find(names, symbol) != names.end();
}

bool starts_a_program(std::string_view symbol) {
  return symbol.starts_with("exec") || symbol == "posix_spawn" || symbol == "posix_spawnp";
}

TEST(Library, exports_nothing_but_mpi_names_what_finds_them_what_concerns_threads_signals_programs_ends_and_marks) {
  for (const std::string& symbol : symbols("--defined-only"))
    EXPECT_TRUE(symbol.starts_with("MPI_") || symbol.starts_with("PMPI_") || symbol.starts_with("mpi_") ||
                symbol == "dlsym" || symbol == "_exit" || symbol == "_Exit" || is_of_threads(symbol) ||
                is_of_signals(symbol) || starts_a_program(symbol) || symbol == "timeless_region_begin" ||
                symbol == "timeless_region_end")
        << symbol;
}

TEST(Library, needs_no_symbol_of_mpi) {
  for (const std::string& symbol : symbols("--undefined-only"))
    EXPECT_FALSE(lower(symbol).find("mpi") != std::string::npos) << symbol;
}

// A name that the Fortran library does not have cannot be called by a program.
TEST(Library, fortran_names_are_those_of_open_mpi) {
  void* const mpif = dlopen("libmpi_mpifh.so.40", RTLD_LAZY);
  void* const f08 = dlopen("libmpi_usempif08.so.40", RTLD_LAZY);
  ASSERT_NE(mpif, nullptr);
  ASSERT_NE(f08, nullptr);
  for (const std::string& row : rows_of_table()) {
    EXPECT_NE(dlsym(mpif, ("mpi_" + lower(row) + "_").c_str()), nullptr) << row;
    EXPECT_NE(dlsym(f08, ("mpi_" + lower(row) + "_f08_").c_str()), nullptr) << row;
  }
}

} // namespace
