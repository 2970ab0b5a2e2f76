#pragma once

#include <string>

/// PAPI, loaded only when it is chosen: the preloaded library must load where PAPI is absent, and a program that uses
/// PAPI itself must not find another one in its scope.
namespace timeless::tracer {

/// The functions of PAPI, which is loaded when it is there.
struct PapiLibrary {
  int (*library_init)(int version) = nullptr;
  int (*thread_init)(unsigned long (*id)()) = nullptr;
  int (*create_eventset)(int* set) = nullptr;
  int (*add_named_event)(int set, const char* event) = nullptr;
  int (*attach)(int set, unsigned long thread) = nullptr;
  int (*start)(int set) = nullptr;
  int (*stop)(int set, long long* values) = nullptr;
  int (*read)(int set, long long* values) = nullptr;
  int (*cleanup_eventset)(int set) = nullptr;
  int (*destroy_eventset)(int* set) = nullptr;
  int (*unregister_thread)() = nullptr;
  int (*num_hwctrs)() = nullptr;
  int (*enum_event)(int* event, int modifier) = nullptr;
  int (*event_code_to_name)(int event, char* name) = nullptr;
  char* (*strerror)(int code) = nullptr;

  std::string version; ///< "7.0.0.0"
};

/// Loads and initialises PAPI, with threads known by their number in the system, by which events are attached to them.
/// Throws Error(missing_capability) when it is absent or will not start.
PapiLibrary load_papi();

} // namespace timeless::tracer
