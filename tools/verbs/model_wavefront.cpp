#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/render/answer.h"
#include "tools/render/replay/wavefront.h"
#include "tools/replaying/wavefront_rows.h"
#include "tools/verbs/model.h"

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct WavefrontOptions {
  WavefrontRequest request;
  bool json = false;
};

} // namespace

VerbAction add_model_wavefront(CLI::App& command) {
  auto options = std::make_shared<WavefrontOptions>();
  WavefrontRequest& request = options->request;
  command.add_option("recordings", request.recordings, "Recordings of the solver, to be replayed beside the equations")
      ->type_name("")
      ->always_capture_default(false);
  begin_group(command, "Solver");
  command.add_option("--grid", request.grid, "Points along x, y and z")->type_name("NXxNYxNZ");
  command.add_option("--ranks", request.ranks, "Numbers of ranks, or COLUMNSxROWS; a number alone is cut most evenly")
      ->type_name("LIST");
  begin_group(command, "Machine");
  CLI::Option* const network =
      command.add_option("--network", request.network, "A network: a preset, a file, or one that comes with Timeless");
  offer_words(*network, known_networks(), AlsoAccepts::files);
  begin_group(command, "Solver");
  const auto add = [&](const char* name, std::string& value, const char* type, const char* what, const char* absent) {
    command.add_option(name, value, what)->type_name(type)->default_str(absent);
  };
  add("--work", request.work, "LIST", "Time that a point takes in the sweeps and in making their matrices",
      "blts=3.22us,buts=2.85us,jacld=4.19us,jacu=4.07us, the paper's");
  add("--init", request.initialising, "TIME", "Before the first iteration", "none");
  add("--verify", request.verifying, "TIME", "After the last iteration", "none");
  add("--measured", request.measured, "LIST", "Measured times by number of ranks: 2=13.4s,4=7.1s",
      "those that recordings with times have");
  command.add_option("--iterations", request.iterations, "Of the solver")->check(number_between(1, 1e5));
  command.add_option("--bytes", request.bytes_of_point, "Of a boundary's point in a message")
      ->check(number_between(1, 1e9));
  begin_group(command, "Machine");
  command.add_option("--ranks-per-node", request.ranks_per_node, "Ranks that share a node, one after the other")
      ->check(positive_number());
  command.add_option("--compute-rate", request.compute_rate, "Of recordings: instructions per second")
      ->transform(rate_per_second())
      ->default_str("8e9, an assumption");
  command.add_option("--rates", request.rates, "Of recordings: a file of rates by host and kernel")
      ->type_name("FILE")
      ->always_capture_default(false);
  begin_group(command, "Output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.model/1)");
  command.footer("M. J. Brim's model of NAS LU with LogGP.\n"
                 "Example: timeless model wavefront --grid 102x102x102 --ranks 4,8,16,32 --network lam-mpi-fortran");
  return [options] {
    print_answer("model", 1, wavefront_rows(options->request), options->json);
    return static_cast<int>(exit_ok);
  };
}

} // namespace timeless::tools
