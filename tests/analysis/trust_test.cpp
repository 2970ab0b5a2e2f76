// How far to trust answers, and why no further.
#include "analysis/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::analysis {
namespace {

Change worth_having() {
  // 6 to 9 %: 5 % is worth having, and half the saving would not be.
  return {.kind = ChangeKind::machine,
          .name = {},
          .saving = {.expected = 0.08, .least = 0.06, .most = 0.09},
          .worth = Worth::pays};
}

TEST(Trust, goes_no_further_than_what_answers_rest_on) {
  const Change machine = worth_having();
  const auto confidence = [&](const Grounds& grounds) { return trust(grounds, machine, 0.05).confidence; };
  EXPECT_EQ(confidence({}), Confidence::high);
  EXPECT_EQ(confidence({.rate_assumed = true}), Confidence::medium);
  EXPECT_EQ(confidence({.rate_fits = false}), Confidence::low);
  EXPECT_EQ(confidence({.complete = false}), Confidence::low);
  EXPECT_EQ(confidence({.communication = 0.5}), Confidence::medium);
  EXPECT_EQ(confidence({.communication = 0.5, .contention_known = true}), Confidence::high);
  EXPECT_EQ(confidence({.compared = false}), Confidence::medium);
  EXPECT_EQ(confidence({.validation_error = -0.226}), Confidence::low);
  EXPECT_EQ(confidence({.validation_error = 0.02}), Confidence::high);
  Change undecided = machine;
  undecided.worth = Worth::undecided;
  EXPECT_EQ(trust({}, undecided, 0.05).confidence, Confidence::low);
  Change processors = machine;
  processors.kind = ChangeKind::processors;
  EXPECT_EQ(trust({.communication = 0.5}, processors, 0.05).confidence, Confidence::high)
      << "contention is no matter of theirs";
}

TEST(Trust, is_lowered_less_by_doubtful_times_where_half_or_twice_the_saving_is_the_same_answer) {
  const auto doubted = [](const Saving& saving, Worth worth) {
    const Change change{.kind = ChangeKind::machine, .name = {}, .saving = saving, .worth = worth};
    const Confidence confidence = trust({.rate_fits = false}, change, 0.05).confidence;
    EXPECT_EQ(trust({.validation_error = 0.2}, change, 0.05).confidence, confidence);
    EXPECT_EQ(trust({.complete = false}, change, 0.05).confidence, Confidence::low);
    return confidence;
  };
  EXPECT_EQ(doubted({.expected = 0.4, .least = 0.1, .most = 0.5}, Worth::pays), Confidence::medium);
  EXPECT_EQ(doubted({.expected = 0.4, .least = 0.09, .most = 0.5}, Worth::pays), Confidence::low);
  EXPECT_EQ(doubted({.expected = 0.01, .least = 0, .most = 0.024}, Worth::ruled_out), Confidence::medium);
  EXPECT_EQ(doubted({.expected = 0.01, .least = 0, .most = 0.026}, Worth::ruled_out), Confidence::low);
}

TEST(Trust, is_low_where_launches_took_far_more_or_less_than_is_predicted_however_clear_the_saving) {
  const Change clear{.kind = ChangeKind::processors,
                     .name = {},
                     .saving = {.expected = 0.45, .least = 0.44, .most = 0.46},
                     .worth = Worth::pays};
  const auto doubted = [&](double error) { return trust({.validation_error = error}, clear, 0.05); };
  EXPECT_EQ(doubted(-0.45).confidence, Confidence::medium);
  EXPECT_EQ(doubted(0.9).confidence, Confidence::medium);
  EXPECT_EQ(doubted(-0.55).confidence, Confidence::low);
  EXPECT_EQ(doubted(1.1).confidence, Confidence::low);
  EXPECT_THAT(doubted(-0.983).words(), testing::ElementsAre(testing::HasSubstr("they took 58.8 times as long")));
  EXPECT_THAT(doubted(4).words(), testing::ElementsAre(testing::HasSubstr("5 times what they took")));
}

TEST(Trust, is_low_where_SMPI_differs_much_from_the_model_that_savings_are_from) {
  Change clear{.kind = ChangeKind::processors,
               .name = {},
               .saving = {.expected = 0.45, .least = 0.44, .most = 0.46},
               .worth = Worth::pays};
  const auto simulated = [&](double contention) {
    return trust({.communication = 0.5, .contention_known = true, .contention = contention}, clear, 0.05);
  };
  EXPECT_EQ(simulated(0.05).confidence, Confidence::high);
  EXPECT_EQ(simulated(0.15).confidence, Confidence::medium);
  EXPECT_EQ(simulated(0.646).confidence, Confidence::low);
  EXPECT_EQ(simulated(-0.3).confidence, Confidence::low);
  EXPECT_THAT(simulated(0.646).words(), testing::ElementsAre(testing::HasSubstr("the run takes 64.6 % longer")));
  clear.kind = ChangeKind::machine;
  const Trust compared = trust(
      {.communication = 0.5, .contention_known = true, .figures = {{"a", "measured"}, {"b", "measured"}}}, clear, 0.05);
  EXPECT_EQ(compared.confidence, Confidence::medium);
  EXPECT_THAT(compared.words(), testing::ElementsAre(testing::HasSubstr("was simulated on a alone")));
}

TEST(Trust, is_low_where_SMPI_contradicts_what_another_machine_saves_and_not_for_the_rate) {
  Change contradicted = worth_having();
  compare_with_simulation(contradicted, -0.26);
  const Trust found = trust({.communication = 0.5, .contention_known = true, .contention = 0.6}, contradicted, 0.05);
  EXPECT_EQ(found.confidence, Confidence::low);
  EXPECT_THAT(found.words(), testing::ElementsAre("with messages that share links, in SMPI, it takes 26.0 % longer"));
}

TEST(Trust, is_medium_where_SMPI_has_the_same_answer_by_another_figure) {
  Change clear = worth_having();
  const double inside = clear.saving.most;
  const double outside = clear.saving.most + 0.1;
  const Grounds grounds{.communication = 0.5, .contention_known = true};
  compare_with_simulation(clear, inside);
  EXPECT_EQ(trust(grounds, clear, 0.05).confidence, Confidence::high);
  compare_with_simulation(clear, outside);
  const Trust found = trust(grounds, clear, 0.05);
  EXPECT_EQ(found.confidence, Confidence::medium);
  EXPECT_THAT(found.words(), testing::ElementsAre(testing::HasSubstr("in SMPI, it saves")));
}

TEST(Trust, is_lowered_by_what_was_measured_in_noise_and_by_networks_that_carry_less_both_ways) {
  Change machine = worth_having();
  EXPECT_EQ(trust({.rate_noisy = true}, machine, 0.05).confidence, Confidence::low);
  EXPECT_EQ(trust({.compared_in_noise = true}, machine, 0.05).confidence, Confidence::medium);
  EXPECT_EQ(trust({.figures = {{.machine = "a", .trust = "measured", .noisy = true}}}, machine, 0.05).confidence,
            Confidence::low);
  machine.saving = {.expected = 0.4, .least = 0.3, .most = 0.5};
  EXPECT_EQ(trust({.rate_noisy = true}, machine, 0.05).confidence, Confidence::medium);
  const auto passing = [&](double times, double communication) {
    return trust({.communication = communication,
                  .contention_known = true,
                  .figures = {{.machine = "a", .trust = "measured", .passing = times}}},
                 machine, 0.05);
  };
  EXPECT_EQ(passing(15.27, 0.001).confidence, Confidence::high);
  EXPECT_EQ(passing(15.27, 0.2).confidence, Confidence::low) << "a fifteenth of the saving is another answer";
  EXPECT_EQ(passing(4, 0.2).confidence, Confidence::medium);
  EXPECT_THAT(passing(15.27, 0.2).words().front(), testing::HasSubstr("up to 15.3 times as long on a"));
  machine.kind = ChangeKind::processors;
  EXPECT_EQ(passing(15.27, 0.2).confidence, Confidence::high) << "networks are no matter of theirs";
}

TEST(Trust, says_of_rates_what_they_are_of) {
  Change undecided = worth_having();
  undecided.worth = Worth::undecided;
  const auto first = [](const Grounds& grounds, const Change& change) {
    return trust(grounds, change, 0.05).reasons.front();
  };
  const auto words = [&](const Grounds& grounds) { return first(grounds, undecided).words; };
  using testing::EndsWith;
  using testing::HasSubstr;
  EXPECT_THAT(words({}), EndsWith("at which launches differ"));
  EXPECT_THAT(words({.rate_derived = true}), EndsWith("derived from what a machine's operations cost"));
  const Grounds another{.rate_borrowed = 1};
  EXPECT_THAT(words(another), HasSubstr("assumed: the rates are of another program or build"));
  EXPECT_EQ(first(another, undecided).doubt, Doubt::rate);
  EXPECT_THAT(trust(another, undecided, 0.05).reasons, testing::SizeIs(1));
  EXPECT_THAT(words({.rate_borrowed = 0.3}), HasSubstr("assumed for 30 % of the computation"));
  Change decided = worth_having();
  EXPECT_EQ(trust(another, decided, 0.05).confidence, Confidence::low) << "half the saving would be another answer";
  decided.saving = {.expected = 0.3, .least = 0.2, .most = 0.4};
  EXPECT_EQ(trust(another, decided, 0.05).confidence, Confidence::medium);
  EXPECT_EQ(trust({.rate_borrowed = 0.05}, decided, 0.05).confidence, Confidence::high);
}

TEST(Trust, is_low_where_different_bases_of_two_machines_make_most_of_the_saving) {
  Change machine = worth_having();
  const auto differing = [&](double share) {
    return trust({.bases = "measured (a); none (b)", .bases_differ = share}, machine, 0.05);
  };
  EXPECT_EQ(differing(0.039).confidence, Confidence::high);
  const Trust doubted = differing(0.041);
  EXPECT_EQ(doubted.confidence, Confidence::low);
  EXPECT_THAT(doubted.words().front(),
              testing::HasSubstr("measured (a); none (b), and differs by 4.1 % of the time, beside a saving of 8.0 %"));
  machine.kind = ChangeKind::latency;
  EXPECT_EQ(differing(0.5).confidence, Confidence::high) << "one machine has one basis";
}

TEST(Trust, in_several_answers_is_the_least_and_says_each_reason_once) {
  const Reason a{Doubt::rate, Confidence::low, "a"};
  const Reason b{Doubt::contention, Confidence::medium, "b"};
  const std::vector<Trust> all{{Confidence::high, {}}, {Confidence::low, {a, b}}, {Confidence::medium, {b}}};
  const Trust found = least(all);
  EXPECT_EQ(found.confidence, Confidence::low);
  EXPECT_THAT(found.words(), testing::ElementsAre("a", "b"));
}

TEST(Trust, names_the_figures_of_all_machines_that_a_network_is_compared_by) {
  Change machine = worth_having();
  const auto of = [&](std::vector<FiguresOf> figures) { return trust({.figures = std::move(figures)}, machine, 0.05); };
  EXPECT_THAT(of({{"here", "measured"}, {"there", "measured"}}).reasons, testing::IsEmpty());
  const Trust published = of({{"e10g", "published"}, {"there", "measured"}});
  EXPECT_THAT(published.words(), testing::ElementsAre("the figures of e10g are published, those of there measured"));
  EXPECT_EQ(published.confidence, Confidence::medium);
  const Trust assumed = of({{"e10g", "published"}, {"e100g", "assumed"}});
  EXPECT_THAT(assumed.words(),
              testing::ElementsAre("the figures of e10g are published, those of e100g assumed; half or twice "
                                   "the saving would turn the answer"));
  EXPECT_EQ(assumed.confidence, Confidence::low) << "half the saving would be another answer";
  EXPECT_EQ(of({{"e10g", "published"}, {"qdr", "published"}}).words().front(),
            "the figures of e10g and qdr are published");
  EXPECT_THAT(of({{"mine", "not said"}}).words().front(),
              testing::StartsWith("the figures of mine are of a source that is not said;"));
  const Trust within = of({{"here", "measured within a node"}, {"there", "measured"}});
  EXPECT_EQ(
      within.words().front(),
      "the figures of here are measured within a node, not between nodes, those of there measured; half or twice the "
      "saving would turn the answer");
  EXPECT_EQ(within.confidence, Confidence::low);
  machine.saving = {.expected = 0.3, .least = 0.2, .most = 0.4};
  const Trust clear = of({{"e10g", "published"}, {"e100g", "assumed"}});
  EXPECT_EQ(clear.confidence, Confidence::medium);
  EXPECT_EQ(clear.words().front(), "the figures of e10g are published, those of e100g assumed")
      << "the same reason is one thing at each confidence";
  machine.kind = ChangeKind::processors;
  EXPECT_EQ(of({{"e10g", "published"}}).confidence, Confidence::high) << "networks are no matter of theirs";
}

TEST(Trust, begins_with_what_can_be_done_about_first) {
  const auto first = [](const Grounds& grounds) {
    return trust(grounds, worth_having(), 0.05).by_urgency().front().doubt;
  };
  const std::vector<FiguresOf> assumed{{"e100g", "assumed"}};
  EXPECT_THAT(trust({}, worth_having(), 0.05).by_urgency(), testing::IsEmpty());
  EXPECT_EQ(first({.compared = false}), Doubt::not_compared);
  EXPECT_EQ(first({.compared = false, .figures = assumed}), Doubt::figures);
  EXPECT_EQ(first({.rate_assumed = true, .communication = 0.5, .figures = assumed}), Doubt::rate);
  EXPECT_EQ(first({.rate_fits = false, .figures = assumed}), Doubt::misfit);
  EXPECT_EQ(first({.complete = false, .rate_assumed = true}), Doubt::incomplete);
}

} // namespace
} // namespace timeless::analysis
