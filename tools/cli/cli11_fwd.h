#pragma once

/// What headers name of CLI11, which takes long to compile.
namespace CLI {
class App;
class Option;
} // namespace CLI
