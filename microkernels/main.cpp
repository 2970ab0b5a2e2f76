// microkernels count PROCESSES                    under icount: what each case does
// microkernels measure SECONDS SEED PROCESSOR...  how long each case takes
#include "base/error.h"
#include "microkernels/counting.h"
#include "microkernels/measuring.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace timeless;

namespace {

int measure(int count, char** words) {
  microkernels::MeasuringRequest request{
      .seconds = std::atof(words[0]), .seed = std::strtoull(words[1], nullptr, 10), .processors = {}};
  for (int word = 2; word < count; ++word)
    request.processors.push_back(std::atoi(words[word]));
  microkernels::measure_cases(request);
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    if (count == 3 && std::string_view(words[1]) == "count") {
      microkernels::count_cases(std::strtoull(words[2], nullptr, 10));
      return 0;
    }
    if (count >= 5 && std::string_view(words[1]) == "measure") return measure(count - 2, words + 2);
    std::fprintf(stderr, "usage: microkernels count PROCESSES | measure SECONDS SEED PROCESSOR...\n");
    return static_cast<int>(Failure::usage);
  } catch (const Error& error) {
    std::fprintf(stderr, "microkernels: %s\n", error.what());
    return static_cast<int>(error.failure());
  }
}
