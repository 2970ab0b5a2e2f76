#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// The table of MPI calls against MPI's header, and the library against the table.
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

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

std::set<std::string> functions_of_mpi() {
  return matches(content(TIMELESS_MPI_HEADER), R"(OMPI_DECLSPEC[^;(]*\bMPI_([A-Z]\w*)\s*\()");
}

/// Calls without a row: those that only look at or change what their own process holds, and those, named, that are not
/// covered yet.
bool has_no_row_for_a_reason(const std::string& name) {
  static const std::vector<std::regex> reasons = {
      std::regex("T_\\w+"),                                                     // tool interface
      std::regex("\\w+_(c2f|f2c)"),                                             // handle conversion
      std::regex("(Type|Group|Info|Op|Errhandler|Keyval|Attr|Graphdims)_\\w+"), // local objects
      std::regex("(TYPE|COMM|WIN)_\\w+|(DUP|NULL)_\\w+"),                       // predefined callbacks
      std::regex("(Comm|Win|File)_(get|set)_(attr|errhandler|name|group|parent)"),
      std::regex("(Comm|Win|File)_(delete_attr|create_keyval|free_keyval|create_errhandler|call_errhandler)"),
      std::regex("(Comm|Win)_(get|set)_info|File_get_\\w+|File_seek"),
      std::regex("Comm_(rank|size|remote_size|group|remote_group|compare|test_inter)"),
      std::regex("Win_(attach|detach|shared_query)"),
      std::regex("Cart(_coords|_get|_map|_rank|_shift|dim_get)|Graph_(get|map|neighbors|neighbors_count)"),
      std::regex("Dist_graph_neighbors(_count)?|Topo_test|Dims_create"),
      std::regex("Get_(address|count|elements|elements_x|library_version|processor_name|version)|Wtime|Wtick|"
                 "Initialized|Finalized|Query_thread|Is_thread_main"),
      std::regex("Test_cancelled|Status_set_\\w+|Grequest_(start|complete)|Reduce_local"),
      std::regex("Pack\\w*|Unpack\\w*|Address|Alloc_mem|Free_mem|Buffer_(attach|detach)|Register_datarep"),
      std::regex("(Add_)?[Ee]rror_(class|code|string)"),
      // Dynamic processes: the communicators they make are unknown, and calls on those are counted as not recorded.
      std::regex("Comm_(spawn|spawn_multiple|accept|connect|join)"),
      std::regex("(Open|Close)_port|(Publish|Unpublish|Lookup)_name"),
  };
  return std::ranges::any_of(reasons, [&](const std::regex& reason) { return std::regex_match(name, reason); });
}

/// What `nm` says of the library, a symbol a line.
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

TEST(CallTable, every_function_of_mpi_has_a_row_or_a_reason_to_have_none) {
  const std::set<std::string> rows = rows_of_table();
  const std::set<std::string> functions = functions_of_mpi();
  EXPECT_GT(functions.size(), 380U);
  for (const std::string& function : functions)
    EXPECT_NE(rows.contains(function), has_no_row_for_a_reason(function)) << function;
}

TEST(CallTable, every_row_is_a_function_of_mpi) {
  const std::set<std::string> functions = functions_of_mpi();
  for (const std::string& row : rows_of_table())
    EXPECT_TRUE(functions.contains(row)) << row;
}

TEST(Library, exports_every_row_under_its_c_name_and_all_fortran_names) {
  const std::vector<std::string> list = symbols("--defined-only");
  const std::set<std::string> exported(list.begin(), list.end());
  for (const std::string& row : rows_of_table()) {
    const std::string small = "mpi_" + lower(row);
    for (const std::string& name :
         {"MPI_" + row, small, small + "_", small + "__", "MPI_" + upper(row), small + "_f08_"})
      EXPECT_TRUE(exported.contains(name)) << name;
  }
}

TEST(Library, exports_nothing_but_mpi_names_and_what_creates_threads) {
  for (const std::string& symbol : symbols("--defined-only"))
    EXPECT_TRUE(symbol.starts_with("MPI_") || symbol.starts_with("mpi_") || symbol == "pthread_create" ||
                symbol == "thrd_create")
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
