#include "tools/advising/backend_choice.h"

#include "base/error.h"
#include "base/processes/apart.h"
#include "tools/advising/advice_request.h"
#include "tools/cli/locate.h"
#include "tools/replaying/smpi/smpi_prediction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace timeless::tools {

namespace {

constexpr char simulate_word = 's';
constexpr char model_word = 'm';

/// Returns the choice as bytes: a letter, then the sentence.
std::string choice_bytes(const AdviceAnswer& answer) {
  const bool simulate = answer.outside() || answer.simulate();
  std::string bytes(1, simulate ? simulate_word : model_word);
  bytes += fmt::format("--backend auto: {}: {}", simulate ? "SMPI" : "the model", chance_words(answer));
  if (answer.outside())
    bytes += fmt::format(", but the run is outside of what that was trained on ({})", outside_words(answer));
  return bytes;
}

} // namespace

BackendChoice choose_backend(const PredictionOptions& options) {
  if (options.platforms.size() != 1 || scalings(options).size() != 1)
    throw Error(Failure::usage, "a backend is chosen for one configuration of one platform", "--backend auto",
                "give one --platform and one factor each, or choose model or smpi");
  // It was trained on what both backends can, and either may be chosen.
  require_smpi_can(options);
  const std::string bytes = run_apart(
      [&](const ChildReport&) {
        return choice_bytes(answer_advice({.prediction = options, .model = advisor_model()}));
      },
      {.what = "whether to simulate could not be told"});
  return {.backend = bytes.starts_with(simulate_word) ? Backend::smpi : Backend::model, .because = bytes.substr(1)};
}

} // namespace timeless::tools
