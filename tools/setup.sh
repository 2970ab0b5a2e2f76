# Sourced by tools/quickstart and tools/check: installs what is missing and builds. Sets `source` and `build`.
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "timeless: $*" >&2
  exit 1
}

# missing_packages [check]: those that building and running needs, or with these those of the tests.
missing_packages() {
  local package list=$source/tools/packages
  if [ "${1:-}" = check ]; then cat "$list"; else sed '/^# For tools\/check alone/,$d' "$list"; fi |
    grep -v '^#' | while read -r package; do
    [ -z "$package" ] || dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      echo "$package"
  done
}

# install_packages [check]
install_packages() {
  command -v apt-get >/dev/null || fail "this script installs with apt; elsewhere install what tools/packages lists"
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing and there is no sudo: run 'apt-get install ${missing[*]}' as root"
    as_root=(sudo)
  fi
  local log
  log=$(mktemp)
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >"$log" 2>&1 ||
    ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "the packages could not be installed (whole log: $log)"
  fi
  rm -f "$log"
}

# Shows how far ninja is, whose output it reads: in one line of a terminal, elsewhere in a line for each tenth.
show_progress() {
  local terminal=0
  [ ! -t 1 ] || terminal=1
  awk -v terminal="$terminal" '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), step, "/")
      done = int(100 * step[1] / step[2])
      if (terminal) printf "\r  %d of %d steps", step[1], step[2]
      else if (done >= told + 10) { told = done - done % 10; print "  " told " %" }
      fflush()
    }
    END { if (terminal) print "" }'
}

# build_with PRESET [TARGET...]
build_with() {
  local preset=$1 log targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  build=$source/build/$preset
  mkdir -p "$build"
  log=$build/build.log
  # Clones at different places share what is compiled.
  export CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1
  echo "Building in build/$preset"
  if ! (cd "$source" && cmake --preset "$preset" -DCMAKE_C_COMPILER_LAUNCHER=ccache \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache && cmake --build --preset "$preset" "${targets[@]}") 2>&1 |
    tee "$log" | show_progress; then
    grep -E -A5 'error|Error|FAILED' "$log" | head -n 60 >&2
    fail "the build failed (whole log: $log)"
  fi
}

# What Open MPI needs to run as root, and more ranks than cores, without a warning.
allow_folding() {
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
  export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader}
  export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio}
  [ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}
