#!/usr/bin/env bash
# What the shells complete, from the files that are installed: completions_test.sh SHARE_DIRECTORY
# zsh and fish are asked where they are there.
set -euo pipefail
share=$1

completed() { # WORDS...: what bash offers for the last of them
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _timeless
  echo " ${COMPREPLY[*]-} "
}
expect() { # TEXT WORD
  case $1 in *" $2 "*) ;; *) echo "'$2' is not among:$1" >&2; exit 1 ;; esac
}
refuse() {
  case $1 in *" $2 "*) echo "'$2' is among:$1" >&2; exit 1 ;; *) ;; esac
}
source "$share/bash-completion/completions/timeless"
expect "$(completed timeless swe)" sweep
[ "$(completed timeless swe)" = " sweep " ] || { echo "a verb is offered twice" >&2; exit 1; }
expect "$(completed timeless replay --ba)" --backend
expect "$(completed timeless replay --backend "")" smpi
refuse "$(completed timeless replay --backend s)" model
expect "$(completed timeless replay run.tia --json --criti)" --critical-path
expect "$(completed timeless calibrate net)" network
expect "$(completed timeless calibrate network --bud)" --budget
refuse "$(completed timeless replay run)" --json
[ "$(completed timeless record -- ./program --ou)" = "  " ] || { echo "words of the program are completed" >&2; exit 1; }

if command -v zsh >/dev/null; then
  zsh -n "$share/zsh/site-functions/_timeless"
  zsh -fc "fpath=($share/zsh/site-functions \$fpath); autoload -Uz compinit; compinit -D; [ \"\$_comps[timeless]\" = _timeless ]"
else
  echo "zsh is not here: its completions were not looked at" >&2
fi
if command -v fish >/dev/null; then
  offered=$(HOME=$(mktemp -d) fish --no-config -c "source $share/fish/vendor_completions.d/timeless.fish; complete -C 'timeless replay --backend '")
  echo "$offered" | grep -q '^smpi'
else
  echo "fish is not here: its completions were not looked at" >&2
fi
