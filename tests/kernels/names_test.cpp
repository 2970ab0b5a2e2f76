#include "tools/symbols/names.h"

#include <gtest/gtest.h>

namespace timeless::tools::symbols {
namespace {

TEST(ReadableName, of_cpp_is_demangled_whichever_copy_of_the_function_it_is) {
  EXPECT_EQ(readable_name("_ZN4mesh3sumEd", false), "mesh::sum(double)");
  EXPECT_EQ(readable_name("_ZN4mesh3sumEd.constprop.0", false), "mesh::sum(double)");
  EXPECT_EQ(readable_name("_ZN4mesh3sumEd.part.0.cold", false), "mesh::sum(double)");
}

TEST(ReadableName, of_c_loses_what_the_compiler_adds) {
  EXPECT_EQ(readable_name("exchange", false), "exchange");
  EXPECT_EQ(readable_name("exchange.isra.0", false), "exchange");
  EXPECT_EQ(readable_name("exchange.3", false), "exchange");
  EXPECT_EQ(readable_name("main._omp_fn.1", false), "main._omp_fn.1");
}

TEST(ReadableName, of_fortran_is_as_in_the_source) {
  EXPECT_EQ(readable_name("__grid_MOD_sweep", true), "grid::sweep");
  EXPECT_EQ(readable_name("relax_", true), "relax");
  EXPECT_EQ(readable_name("inner.0", true), "inner");
  EXPECT_EQ(readable_name("MAIN__", true), "MAIN__");
}

TEST(ReadableName, of_c_keeps_its_underscore_at_the_end) {
  EXPECT_EQ(readable_name("relax_", false), "relax_");
  EXPECT_EQ(readable_name("_start", false), "_start");
}

TEST(ReadableName, of_what_only_looks_mangled_is_left_alone) {
  EXPECT_EQ(readable_name("_Zebra", false), "_Zebra");
  EXPECT_EQ(readable_name("", true), "");
}

TEST(ShortenedName, drops_arguments_first) {
  EXPECT_EQ(shortened_name("mesh::Field<float, 3>::advance(float, long) const", 60), "mesh::Field<float, 3>::advance");
  EXPECT_EQ(shortened_name("f(int (*)(double, char), std::vector<int>)", 60), "f");
}

TEST(ShortenedName, keeps_parentheses_that_are_names) {
  EXPECT_EQ(shortened_name("(anonymous namespace)::step(int)", 60), "(anonymous namespace)::step");
  EXPECT_EQ(shortened_name("main::{lambda()#1}::operator()() const", 60), "main::{lambda#1}::operator()");
}

TEST(ShortenedName, drops_template_arguments_when_it_must) {
  EXPECT_EQ(shortened_name("mesh::Field<std::vector<double>, 3>::advance(float)", 30), "mesh::Field<>::advance");
}

TEST(ShortenedName, leaves_out_its_middle_at_last) {
  const std::string name = shortened_name("a_function_with_a_name_that_goes_on_and_on_and_on", 20);
  EXPECT_EQ(name.size(), 20U);
  EXPECT_EQ(name, "a_fun...nd_on_and_on");
}

TEST(ShortenedName, survives_brackets_that_do_not_close) {
  EXPECT_EQ(shortened_name("f(int", 60), "f(int");
  EXPECT_EQ(shortened_name("a<b::operator<", 10).size(), 10U);
}

} // namespace
} // namespace timeless::tools::symbols
