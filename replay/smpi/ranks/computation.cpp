#include "replay/smpi/ranks/computation.h"

#include <smpi/smpi.h>

namespace timeless::replay::smpi {

void Computation::play(const trace::Action& action, std::uint64_t volume, simgrid::s4u::Semaphore* cores) {
  std::uint64_t more = volume;
  if (action.kind == trace::ActionKind::workers_sum) return;
  if (action.kind == trace::ActionKind::workers_maximum)
    more = volume > last_ ? volume - last_ : 0;
  else
    last_ = volume;
  const double factor = action.kernel < context_.kernel_factors.size() ? context_.kernel_factors[action.kernel] : 1;
  const double flops = factor * static_cast<double>(more) * context_.flops_per_unit[static_cast<std::size_t>(rank_)];
  if (flops <= 0) return;
  if (cores != nullptr) cores->acquire();
  smpi_execute_flops(flops);
  if (cores != nullptr) cores->release();
}

} // namespace timeless::replay::smpi
