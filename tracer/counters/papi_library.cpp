#include "tracer/counters/papi_library.h"

#include "base/error.h"

#include <array>
#include <dlfcn.h>
#include <papi.h>
#include <unistd.h>

namespace timeless::tracer {
namespace {

/// A library's name and the interface version it expects to be asked for.
struct Name {
  const char* file;
  int interface;
};

// The functions above kept their signatures over all of these.
constexpr std::array<Name, 5> names = {{
    {.file = "libpapi.so.7.0", .interface = PAPI_VERSION_NUMBER(7, 0, 0, 0)},
    {.file = "libpapi.so.7.2", .interface = PAPI_VERSION_NUMBER(7, 2, 0, 0)},
    {.file = "libpapi.so.7.1", .interface = PAPI_VERSION_NUMBER(7, 1, 0, 0)},
    {.file = "libpapi.so.6.0", .interface = PAPI_VERSION_NUMBER(6, 0, 0, 0)},
    {.file = "libpapi.so", .interface = PAPI_VER_CURRENT},
}};

[[noreturn]] void fail(const std::string& what) {
  throw Error(Failure::missing_capability, what, "TIMELESS_COUNTER=papi",
              "install PAPI 7 (Debian: libpapi7.0), or count with icount (`timeless record --counter icount`)");
}

std::string version_text(int version) {
  const auto number = static_cast<unsigned>(version);
  std::string text;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    text.append(text.empty() ? "" : ".").append(std::to_string((number >> shift) & 0xffU));
  return text;
}

template <typename Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) fail(std::string("the PAPI library has no function ") + name);
}

unsigned long thread_number() {
  return static_cast<unsigned long>(gettid());
}

PapiLibrary functions_of(void* handle) {
  PapiLibrary papi;
  find(handle, "PAPI_library_init", papi.library_init);
  find(handle, "PAPI_thread_init", papi.thread_init);
  find(handle, "PAPI_create_eventset", papi.create_eventset);
  find(handle, "PAPI_add_named_event", papi.add_named_event);
  find(handle, "PAPI_attach", papi.attach);
  find(handle, "PAPI_start", papi.start);
  find(handle, "PAPI_stop", papi.stop);
  find(handle, "PAPI_read", papi.read);
  find(handle, "PAPI_cleanup_eventset", papi.cleanup_eventset);
  find(handle, "PAPI_destroy_eventset", papi.destroy_eventset);
  find(handle, "PAPI_unregister_thread", papi.unregister_thread);
  find(handle, "PAPI_num_hwctrs", papi.num_hwctrs);
  find(handle, "PAPI_enum_event", papi.enum_event);
  find(handle, "PAPI_event_code_to_name", papi.event_code_to_name);
  find(handle, "PAPI_strerror", papi.strerror);
  return papi;
}

} // namespace

PapiLibrary load_papi() {
  for (const Name& name : names) {
    void* handle = dlopen(name.file, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    PapiLibrary papi = functions_of(handle);
    const int version = papi.library_init(name.interface);
    if (version < 0) fail(std::string("PAPI does not start: ") + papi.strerror(version));
    if (version == 0) fail("PAPI does not start");
    if (const int status = papi.thread_init(thread_number); status != PAPI_OK)
      fail(std::string("PAPI does not count threads: ") + papi.strerror(status));
    papi.version = version_text(version);
    return papi;
  }
  fail("the PAPI library is not installed");
}

} // namespace timeless::tracer
