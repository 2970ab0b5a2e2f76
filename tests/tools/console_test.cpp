#include "tools/cli/console.h"
#include "tools/cli/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace timeless::tools {
namespace {

TEST(ProgressLine, says_what_is_done_how_far_it_is_and_since_when) {
  EXPECT_EQ(progress_line("simulating run.tia", 0.5, 12.3, 80),
            "simulating run.tia [###############...............]  50 %  12 s, 12 s left");
  EXPECT_EQ(progress_line("replaying run.tia", 0.25, 10, 100, 2.5e6),
            "replaying run.tia [#######.......................]  25 %  10 s, 30 s left, 2.50 M actions/s");
  EXPECT_EQ(progress_line("replaying run.tia", 0.25, 10, 80, 2.5e6, "bytes"),
            "replaying run.tia [#####...............]  25 %  10 s, 30 s left, 2.50 M bytes/s");
}

TEST(ProgressLine, stays_within_the_terminal_whatever_is_named) {
  const std::string label = "simulating /a/directory/of/some/depth/and/another/one/below/it/a-run-of-a-program.tia";
  for (std::size_t width = 0; width < 200; ++width)
    EXPECT_LE(progress_line(label, 0.999, 1234567, width).size(), width > 0 ? width - 1 : 0) << width;
  EXPECT_EQ(progress_line(label, 0.4, 2, 60), "simulating ...of-a-program.tia [##...]  40 %  2 s, 3 s left");
  EXPECT_EQ(progress_line("reading", 0.02, 1, 60).find("left"), std::string::npos) << "the pace is not known yet";
  EXPECT_NE(progress_line("reading", 0.02, 11, 60).find("539 s left"), std::string::npos);
  EXPECT_EQ(progress_line(label, 0.4, 2, 20), " 40 %  2 s");
}

TEST(Line, stays_one_line_whatever_its_parts_hold) {
  EXPECT_EQ(text_line("{:<6}{} of {}", "name", "two\nlines\x1b[2J", 3), "name  two\\nlines\\x1b[2J of 3\n");
}

TEST(Paragraph, keeps_a_number_and_its_sign_on_one_line_of_120_columns) {
  const std::string before(112, 'a');
  EXPECT_EQ(text_paragraph("x: ", before + " 9.96 % b"), "x: " + before + "\n   9.96 % b\n");
}

TEST(Table, keeps_names_within_their_cells_in_its_head_too) {
  Table table({"first", "a\nb"});
  table.add({"c\nd", "\t"});
  EXPECT_EQ(table.text(), "  first  a\\nb\n  c\\nd   \\t\n");
}

/// Output of so many columns.
class Columns {
public:
  explicit Columns(const char* columns) { ::setenv("COLUMNS", columns, 1); }
  ~Columns() { ::unsetenv("COLUMNS"); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
};

Table answers_table() {
  Table table({"offered", "answer", "saves %"});
  table.add({"e100g in place of e10g", "depends: yes above 11.4 G/s", "3.6 (1.7 to 6.8)"});
  table.add_below("below\n");
  table.add({"none", "no", "0"});
  return table;
}

TEST(Table, keeps_its_rows_whole_in_a_pipe) {
  EXPECT_EQ(answers_table().text(), "  offered                 answer                                saves %\n"
                                    "  e100g in place of e10g  depends: yes above 11.4 G/s  3.6 (1.7 to 6.8)\n"
                                    "below\n"
                                    "  none                    no                                          0\n");
}

TEST(Table, breaks_words_not_numbers_where_there_are_few_columns) {
  const Columns columns("54");
  EXPECT_EQ(answers_table().text(), "  offered           answer                     saves %\n"
                                    "  e100g in place    depends: yes      3.6 (1.7 to 6.8)\n"
                                    "  of e10g           above 11.4 G/s\n"
                                    "below\n"
                                    "  none              no                               0\n");
}

TEST(Table, puts_columns_below_that_have_no_room_beside_the_first) {
  const Columns columns("24");
  EXPECT_EQ(answers_table().text(), "  offered  answer\n"
                                    "  e100g    depends:\n"
                                    "  in       yes\n"
                                    "  place    above\n"
                                    "  of e10g  11.4 G/s\n"
                                    "below\n"
                                    "  none     no\n"
                                    "\n"
                                    "  offered    saves %\n"
                                    "  e100g     3.6 (1.7\n"
                                    "  in         to 6.8)\n"
                                    "  place\n"
                                    "  of e10g\n"
                                    "  none             0\n");
}

TEST(Table, puts_the_second_end_of_an_interval_below_where_it_has_no_room_beside_the_first_column) {
  const Columns columns("24");
  Table table({"machine", "interval"});
  table.add({"e100g", "239.446 us to 1.047 ms"});
  EXPECT_EQ(table.text(), "  machine     interval\n"
                          "  e100g     239.446 us\n"
                          "           to 1.047 ms\n");
}

TEST(Paragraph, has_the_columns_of_the_terminal_where_these_are_fewer) {
  const Columns columns("20");
  EXPECT_EQ(text_paragraph("x: ", "one two three four five"), "x: one two three\n   four five\n");
}

TEST(Paragraph, stands_below_its_label_where_a_terminal_has_no_room_beside_it) {
  const std::string label = "warning  hardware counters    ";
  EXPECT_EQ(text_paragraph(label, "none are found"), label + "none are found\n");
  const Columns columns("40");
  EXPECT_EQ(text_paragraph(label, "the processor has none that could be read"),
            "warning  hardware counters\n"
            "    the processor has none that could be\n"
            "    read\n");
  EXPECT_EQ(text_paragraph("                      -> ", "record with icount"), "    -> record with icount\n");
  EXPECT_EQ(text_paragraph("hosts          ", "from graphene-1.nancy.grid5000.fr"),
            "hosts\n"
            "    from graphene-1.nancy.grid5000.fr\n");
}

TEST(Paragraph, breaks_a_table_of_factors_at_semicolons_where_it_is_longer_than_a_line) {
  const Columns columns("24");
  EXPECT_EQ(text_paragraph("or ", "0:8.93009e-06;1420:1.5e-05;9:0 end"), "or 0:8.93009e-06;\n"
                                                                         "   1420:1.5e-05;9:0 end\n");
}

TEST(HelpText, has_the_columns_of_the_terminal_and_names_above_what_they_mean_where_these_are_few) {
  CLI::App app("What it does, in more words than one line has", "verb");
  app.formatter(std::make_shared<HelpText>());
  std::string value;
  app.add_option("--option", value, "What the option says, in more words than one line has");
  app.footer("Example: verb --option with-a-long-value-that-can-be-copied");
  EXPECT_THAT(app.help(), testing::HasSubstr("  --option TEXT               What the option says, in more words than"));
  const Columns columns("30");
  const std::string help = app.help();
  EXPECT_THAT(help, testing::HasSubstr("  --option TEXT\n"
                                       "    What the option says, in\n"
                                       "    more words than one line\n"
                                       "    has\n"));
  EXPECT_THAT(help, testing::StartsWith("What it does, in more words\nthan one line has\n"));
  EXPECT_THAT(help, testing::HasSubstr("\nExample: verb --option with-a-long-value-that-can-be-copied\n"));
}

TEST(PrintedError, has_indented_lines_but_none_that_a_name_begins) {
  testing::internal::CaptureStderr();
  print_error({Failure::usage, "these are wrong\n  the first\n  the second", "a\nfile", "end\x1b[2J"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "timeless: these are wrong\n  the first\n  the second (a\\nfile): end\\x1b[2J\n");
}

TEST(PrintedWarning, is_one_line) {
  testing::internal::CaptureStderr();
  print_warning("of a\n  file");
  print_notice("of a\nfile");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "timeless: warning: of a\\n  file\ntimeless: of a\\nfile\n");
}

} // namespace
} // namespace timeless::tools
