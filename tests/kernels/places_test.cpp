// Where in the source a kernel begins and ends, for programs built in the ways people build them.
#include "tests/kernels/listed.h"

#include <gmock/gmock.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

namespace timeless::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

void expect_place(const json& end, const std::string& function, const std::string& source, const std::string& site) {
  ASSERT_FALSE(end.is_null()) << function;
  EXPECT_EQ(end.value("function", ""), function) << end;
  EXPECT_THAT(end.value("file", ""), EndsWith("/" + source)) << end;
  EXPECT_EQ(end.value("line", 0), line_of_site(source, site)) << end;
}

void expect_nameless(const json& end) {
  ASSERT_FALSE(end.is_null());
  EXPECT_FALSE(end.contains("function")) << end;
  EXPECT_FALSE(end.contains("file")) << end;
}

/// Returns a copy of a program in the place, where it can be spoilt.
std::string copied(const Workplace& place, const std::string& program) {
  fs::copy_file(built(program), place / program);
  return "./" + program;
}

void objcopy(const Workplace& place, const std::string& arguments) {
  const Ran ran = place.run(OBJCOPY " " + arguments);
  ASSERT_EQ(ran.status, 0) << ran.errors;
}

class CProgram : public testing::TestWithParam<const char*> {};

TEST_P(CProgram, with_debug_information_is_named_to_the_line) {
  const Workplace place;
  record(place, "trace", GetParam());
  const Listed listed = list_kernels(place, "trace");
  expect_place(listed.end("MPI_Init"), "main", "layers.c", "init");
  expect_place(listed.end("MPI_Barrier"), "main", "layers.c", "barrier");
  expect_place(listed.end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
  expect_place(listed.end("MPI_Finalize"), "main", "layers.c", "finalize");
  EXPECT_THAT(listed.warnings, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Each, CProgram, testing::Values("layers", "layers_fixed", "layers_unstamped"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(Places, of_calls_in_a_library_are_named_with_the_library) {
  const Workplace place;
  record(place, "trace", "layers");
  const json end = list_kernels(place, "trace").end("MPI_Allreduce");
  expect_place(end, "solve", "solver.c", "solver");
  EXPECT_THAT(end.at("module").get<std::string>(), EndsWith("/libsolver.so"));
  const Ran ran = place.run("timeless info --kernels trace");
  const std::string line = std::to_string(line_of_site("solver.c", "solver"));
  EXPECT_THAT(ran.output, HasSubstr("MPI_Allreduce in solve (solver.c:" + line + ") of libsolver.so"));
  EXPECT_THAT(ran.output, HasSubstr("from MPI_Init in main (layers.c:"));
}

TEST(Places, of_a_program_without_debug_information_are_functions) {
  const Workplace place;
  record(place, "trace", "layers_plain");
  const Listed listed = list_kernels(place, "trace");
  EXPECT_EQ(listed.end("MPI_Sendrecv").value("function", ""), "exchange");
  EXPECT_FALSE(listed.end("MPI_Sendrecv").contains("file"));
  EXPECT_EQ(listed.end("MPI_Finalize").value("function", ""), "main");
}

TEST(Places, of_a_stripped_program_are_offsets_and_not_the_next_best_symbol) {
  const Workplace place;
  const std::string program = copied(place, "layers");
  objcopy(place, "--strip-all layers");
  record(place, "trace", program);
  const Listed listed = list_kernels(place, "trace");
  expect_nameless(listed.end("MPI_Sendrecv"));
  expect_nameless(listed.end("MPI_Finalize"));
  EXPECT_THAT(place.run("timeless info --kernels trace").output, HasSubstr("MPI_Finalize in layers+0x"));
}

TEST(Places, are_found_in_a_debug_file_beside_the_stripped_program) {
  const Workplace place;
  const std::string program = copied(place, "layers");
  objcopy(place, "--only-keep-debug layers layers.debug");
  objcopy(place, "--strip-all --add-gnu-debuglink=layers.debug layers");
  record(place, "trace", program);
  expect_place(list_kernels(place, "trace").end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
}

TEST(Places, are_found_in_a_directory_of_debug_files_even_without_the_program) {
  const Workplace place;
  const std::string program = copied(place, "layers");
  record(place, "trace", program);
  const std::string id = list_kernels(place, "trace").end("MPI_Sendrecv").value("build_id", "");
  ASSERT_GT(id.size(), 8U);
  const std::string file = "debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
  fs::create_directories((place / file).parent_path());
  objcopy(place, "--only-keep-debug layers " + file);
  objcopy(place, "--strip-all layers");
  expect_nameless(list_kernels(place, "trace").end("MPI_Sendrecv"));
  expect_place(list_kernels(place, "trace", "--symbols debug").end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
  fs::remove(place / "layers");
  const Listed listed = list_kernels(place, "trace", "--symbols debug");
  expect_place(listed.end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
  EXPECT_THAT(listed.warnings, IsEmpty());
}

TEST(Places, of_a_program_that_has_changed_are_not_named_but_those_of_its_old_copy_are) {
  const Workplace place;
  const std::string program = copied(place, "layers");
  record(place, "trace", program);
  fs::create_directory(place / "old");
  fs::rename(place / "layers", place / "old" / "layers");
  fs::copy_file(built("layers_plain"), place / "layers");
  const Listed listed = list_kernels(place, "trace");
  expect_nameless(listed.end("MPI_Sendrecv"));
  EXPECT_THAT(listed.warnings, HasSubstr("/layers has changed since it was recorded"));
  EXPECT_THAT(listed.answer.at("notices").at(0).get<std::string>(), HasSubstr("has changed"));
  // The library is what it was.
  EXPECT_EQ(listed.end("MPI_Allreduce").value("function", ""), "solve");
  expect_place(list_kernels(place, "trace", "--symbols old").end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
}

TEST(Places, of_a_program_that_is_gone_are_not_named) {
  const Workplace place;
  const std::string program = copied(place, "layers");
  record(place, "trace", program);
  fs::remove(place / "layers");
  const Listed listed = list_kernels(place, "trace");
  expect_nameless(listed.end("MPI_Sendrecv"));
  EXPECT_THAT(listed.warnings, HasSubstr("/layers is not here"));
}

TEST(Places, of_a_program_without_a_build_id_are_doubted_once_it_is_modified) {
  const Workplace place;
  const std::string program = copied(place, "layers_unstamped");
  record(place, "trace", program);
  fs::last_write_time(place / "layers_unstamped", fs::file_time_type::clock::now() + std::chrono::hours(1));
  const Listed listed = list_kernels(place, "trace");
  expect_place(listed.end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
  EXPECT_THAT(listed.warnings, HasSubstr("was modified after it was recorded"));
}

TEST(Places, do_not_need_the_table_that_not_every_compiler_writes) {
  const Workplace place;
  const std::string program = copied(place, "layers");
  objcopy(place, "--remove-section=.debug_aranges layers");
  record(place, "trace", program);
  expect_place(list_kernels(place, "trace").end("MPI_Sendrecv"), "exchange", "layers.c", "exchange");
}

TEST(Places, in_classes_have_demangled_names_and_say_into_what_they_were_inlined) {
  const Workplace place;
  record(place, "trace", "classes");
  const Listed listed = list_kernels(place, "trace");
  const json sum = listed.end("MPI_Allreduce");
  expect_place(sum, "mesh::sum(double)", "classes.cpp", "sum");
  EXPECT_EQ(sum.value("inlined_into", ""), "mesh::Field<float, 3>::advance(float, long) const");
  const json barrier = listed.end("MPI_Barrier");
  EXPECT_EQ(barrier.value("function", ""), "main::{lambda}::operator()");
  EXPECT_EQ(barrier.value("line", 0), line_of_site("classes.cpp", "lambda"));
  EXPECT_THAT(
      place.run("timeless info --kernels trace").output,
      HasSubstr("MPI_Allreduce in mesh::sum (classes.cpp:" + std::to_string(line_of_site("classes.cpp", "sum")) +
                ") inlined into mesh::Field<float, 3>::advance"));
}

TEST(Places, in_classes_without_debug_information_are_named_by_the_function_that_is_in_the_file) {
  const Workplace place;
  record(place, "trace", "classes_plain");
  const json sum = list_kernels(place, "trace").end("MPI_Allreduce");
  EXPECT_EQ(sum.value("function", ""), "mesh::Field<float, 3>::advance(float, long) const");
}

std::vector<std::string> functions(const std::vector<json>& ends) {
  std::vector<std::string> names;
  for (const json& end : ends)
    names.push_back(end.value("function", "") + ":" + std::to_string(end.value("line", 0)));
  return names;
}

TEST(Places, in_fortran_are_named_as_in_the_source) {
  const Workplace place;
  record(place, "trace", "procedures");
  const Listed listed = list_kernels(place, "trace");
  const auto line = [](const char* site) { return std::to_string(line_of_site("procedures.f90", site)); };
  EXPECT_THAT(functions(listed.ends("MPI_Barrier")),
              testing::UnorderedElementsAre("grid::sweep:" + line("sweep"), "relax:" + line("relax"),
                                            "inner:" + line("inner")));
  EXPECT_EQ(listed.end("MPI_Finalize").value("function", ""), "procedures");
}

TEST(Places, in_fortran_without_debug_information_are_named_as_in_the_source) {
  const Workplace place;
  record(place, "trace", "procedures_plain");
  const Listed listed = list_kernels(place, "trace");
  EXPECT_THAT(functions(listed.ends("MPI_Barrier")),
              testing::UnorderedElementsAre("grid::sweep:0", "relax:0", "inner:0"));
  EXPECT_EQ(listed.end("MPI_Finalize").value("function", ""), "MAIN__");
}

TEST(Places, are_looked_up_without_asking_a_debug_information_server) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Workplace place;
  const std::string program = copied(place, "layers");
  objcopy(place, "--strip-all layers");
  record(place, "trace", program);
  const Ran ran = place.run("DEBUGINFOD_URLS=http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) +
                            "/ timeout 20 timeless info --kernels trace");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waiting, 1, 0), 0) << "a server was asked";
  ::close(listener);
}

} // namespace
} // namespace timeless::test
