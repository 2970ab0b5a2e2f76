// Compiled and linked when configuring (simgrid.cmake): this SimGrid has all that the replay in SMPI leans on beyond
// its public headers.
#include "replay/simgrid/simgrid_versions.h"
#include "replay/smpi/calls/smpi_internals.h"

namespace smpi = simgrid::smpi;
namespace s4u = simgrid::s4u;

template <typename... Functions>
bool are_there(Functions... functions) {
  return (... && (functions != nullptr));
}

bool of_versions(s4u::Link& link, s4u::Host& host) {
  timeless::replay::start_actor(host, "", [] {});
  timeless::replay::on_switched<s4u::Host>([](const s4u::Host&) {});
  timeless::replay::on_switched<s4u::Link>([](const s4u::Link&) {});
  return timeless::replay::load_of(link) > 0 &&
         timeless::replay::model_of(s4u::Engine::get_instance()->get_netzone_root()->get_network_model()) != nullptr;
}

int main() {
  using smpi::colls;
  return of_versions(*s4u::Link::by_name(""), *s4u::Host::by_name("")) && smpi::Datatype::make(1, 1) != nullptr &&
                 smpi::ActorExt::EXTENSION_ID.valid() &&
                 are_there(&smpi::ActorExt::comm_world, &smpi::ActorExt::get_actor, &smpi::ActorExt::set_replaying,
                           &smpi::Comm::init_smp, &smpi::Comm::get_leaders_comm,
                           &simgrid::kernel::EngineImpl::get_actor_by_pid) &&
                 are_there(colls::bcast, colls::reduce, colls::allreduce, colls::reduce_scatter, colls::gather,
                           colls::scatter, colls::allgather, colls::alltoall, colls::allgatherv, colls::alltoallv) &&
                 are_there(smpi::bcast__default, smpi::reduce__default, smpi::allreduce__default,
                           smpi::reduce_scatter__default, smpi::gather__default, smpi::gather__ompi_basic_linear,
                           smpi::scatter__default, smpi::allgather__default, smpi::alltoall__default,
                           smpi::alltoall__ring, smpi::allgatherv__default, smpi::alltoallv__ompi_basic_linear,
                           smpi::reduce_scatter__mpich_noncomm)
             ? 0
             : 1;
}
