#include "replay/smpi/ranks/acting_thread.h"

#include "replay/smpi/calls/smpi_internals.h"

#include <unordered_map>

#include <dlfcn.h>

namespace sg4 = simgrid::s4u;

namespace {

/// Returns, by actor that is a thread of another's rank, the other's number.
std::unordered_map<const sg4::Actor*, aid_t>& ranks_of_threads() {
  static std::unordered_map<const sg4::Actor*, aid_t> ranks;
  return ranks;
}

bool acts(const sg4::Actor* actor) {
  return !ranks_of_threads().empty() && ranks_of_threads().contains(actor);
}

} // namespace

aid_t simgrid::s4u::this_actor::get_pid() {
  const Actor* self = Actor::self();
  if (acts(self)) return ranks_of_threads()[self];
  return self == nullptr ? 0 : self->get_pid();
}

namespace {

/// Returns the library's own definition of what is defined here.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

} // namespace

// SMPI begins messages in the name of the rank's actor, which would remember all that another has waited for.
namespace simgrid::smpi {

sg4::ActorPtr ActorExt::get_actor() {
  static auto* const own = next<sg4::ActorPtr(ActorExt*)>("_ZN7simgrid4smpi8ActorExt9get_actorEv");
  if (sg4::Actor* self = sg4::Actor::self(); acts(self) && self->extension<ActorExt>() == this) return self;
  return own(this);
}

} // namespace simgrid::smpi

namespace simgrid::kernel {

actor::ActorImpl* EngineImpl::get_actor_by_pid(aid_t number) {
  static auto* const own =
      next<actor::ActorImpl*(EngineImpl*, aid_t)>("_ZN7simgrid6kernel10EngineImpl16get_actor_by_pidEl");
  if (const sg4::Actor* self = sg4::Actor::self(); acts(self) && ranks_of_threads()[self] == number)
    return self->get_impl();
  return own(this, number);
}

} // namespace simgrid::kernel

namespace timeless::replay::smpi {

using simgrid::smpi::ActorExt;

ActingThread::ActingThread(const sg4::Actor& rank) {
  sg4::Actor* self = sg4::Actor::self();
  own_ = self->extension<ActorExt>();
  self->extension_set(ActorExt::EXTENSION_ID.id(), rank.extension<ActorExt>(), false);
  ranks_of_threads().emplace(self, rank.get_pid());
}

ActingThread::~ActingThread() {
  sg4::Actor* self = sg4::Actor::self();
  ranks_of_threads().erase(self);
  self->extension_set(ActorExt::EXTENSION_ID.id(), own_, false);
}

bool ActingThread::works(const sg4::Actor& rank) {
  MPI_Comm world = rank.extension<ActorExt>()->comm_world();
  int place = MPI_UNDEFINED;
  return PMPI_Comm_rank(world, &place) == MPI_SUCCESS && place != MPI_UNDEFINED;
}

} // namespace timeless::replay::smpi
