#include "tools/verbs/verbs.h"

#include <array>

namespace timeless::tools {

std::span<const Verb> verbs() {
  static constexpr std::array table{
      Verb{"plan", "Divide a program's ranks among hosts, to record it there", add_plan},
      Verb{"record", "Run an MPI program and record what each rank does", add_record},
      Verb{"gather", "Gather the rank files of a run into one archive", add_gather},
      Verb{"convert", "Rewrite a trace as an archive of the present version, a smaller one, or in another format",
           add_convert},
      Verb{"info", "Show what a trace holds", add_info},
      Verb{"dump", "Print a trace's actions as text", add_dump},
      Verb{"check", "Check that a trace's actions fit together", add_check},
      Verb{"replay", "Predict how long the run takes on another machine", add_replay},
      Verb{"sweep", "Predict for many machines at once, and say what would help", add_sweep},
      Verb{"compare", "Put two results side by side: predicted or measured", add_compare},
      Verb{"classify", "Say what bounds the program on given networks", add_classify},
      Verb{"report", "Answer what an upgrade is worth, on a page to pass around", add_report},
      Verb{"advise", "Say whether to simulate a run, or to trust the model", add_advise},
      Verb{"scale", "Find the laws of a program's kernels, and which of them bounds more ranks", add_scale},
      Verb{"extrapolate", "Make the trace of more ranks than were recorded", add_extrapolate},
      Verb{"model", "Predict programs of a known form by equations", add_model},
      Verb{"platform", "List, show, check, upgrade and write descriptions of machines", add_platform},
      Verb{"calibrate", "Measure this machine, so that predictions rest on measurements", add_calibrate},
      Verb{"validate", "Predict a program, run it, and say how far off the prediction was", add_validate},
      Verb{"doctor", "Check that recording and replaying can work here", add_doctor},
  };
  return table;
}

} // namespace timeless::tools
