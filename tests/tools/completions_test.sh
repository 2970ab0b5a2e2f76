#!/usr/bin/env bash
# What the shells complete, from the files that are installed: completions_test.sh SHARE_DIRECTORY
# zsh and fish are asked where they are there.
set -euo pipefail
share=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect() { # TEXT WORD...
  local text=$1 word
  shift
  for word; do
    case $text in *" $word "*) ;; *) echo "$shell: '$word' is not among:$text" >&2; exit 1 ;; esac
  done
}
refuse() { # TEXT WORD...
  local text=$1 word
  shift
  for word; do
    case $text in *" $word "*) echo "$shell: '$word' is among:$text" >&2; exit 1 ;; *) ;; esac
  done
}

# What all of them offer. offered LINE: the words for the last of the line's, which may be empty; the whole list, or
# what it goes on with where $whole is empty.
known_words() {
  expect "$(offered 'timeless swe')" sweep
  expect "$(offered 'timeless calibrate net')" network
  expect "$(offered 'timeless replay --ba')" --backend
  expect "$(offered 'timeless replay run.tia --json --criti')" --critical-path
  expect "$(offered 'timeless calibrate network --bud')" --budget
  expect "$(offered 'timeless replay --backend ')" smpi model
  refuse "$(offered 'timeless replay --backend s')" model
  local verb
  for verb in replay sweep classify report validate; do
    expect "$(offered "timeless $verb --network ")" e10g e100g qdr edison
    expect "$(offered "timeless $verb --platform g")" graphene griffon
  done
  expect "$(offered 'timeless replay --mapping ')" auto recorded one-per-node block: hostfile
  expect "$(offered 'timeless classify --fail-on lat')" latency-sensitive
  expect "$(offered 'timeless sweep --collectives ')" mpich simple schedule
  expect "$(offered 'timeless convert run.tia --to ')" goal ti dimemas
  expect "$(offered 'timeless info --from ')" goal dumpi
  expect "$(offered 'timeless record --counter ')" auto icount papi
  expect "$(offered 'timeless plan --mode ')" R CF
  expect "$(offered 'timeless calibrate network --model ')" loggp hockney
  expect "$(offered 'timeless platform new --topology ')" fat-tree torus
  expect "$(offered 'timeless platform ')" list show upgrade
  expect "$(offered 'timeless platform show gra')" graphene
  # Where a part has to stand, no file; what has been chosen is not offered again.
  touch "$scratch/a-file"
  expect "$(cd "$scratch" && offered 'timeless calibrate ')" network compute machine show
  refuse "$(cd "$scratch" && offered 'timeless calibrate ')" a-file
  refuse "$(cd "$scratch" && offered 'timeless calibrate network ')" compute show
  # A verb with parts has options of its own.
  expect "$(offered 'timeless advise --miss')" --miss-cost
  expect "$(offered 'timeless advise run.tia --platform g')" graphene
  refuse "$(offered 'timeless advise run.tia ')" train
  refuse "$(offered 'timeless advise train --miss')" --miss-cost
  # Of a list, what goes on with it, and nothing twice.
  expect "$(offered 'timeless replay --network e1g,e10')" "${whole:+e1g,}e10g"
  refuse "$(offered 'timeless replay --network e10g,e1')" "${whole:+e10g,}e10g"
  expect "$(offered 'timeless classify --fail-on computation,m')" "${whole:+computation,}mixed"
  expect "$(offered 'timeless sweep --collectives=mpich,s')" "${whole:+mpich,}simple"
}

shell=bash
source "$share/bash-completion/completions/timeless"
offered() {
  # As bash takes a line apart.
  local line=${1//=/ = }
  read -ra COMP_WORDS <<<"${line//:/ : }"
  [[ $line != *' ' ]] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _timeless
  echo " ${COMPREPLY[*]-} "
}
whole=yes known_words
[ "$(offered 'timeless swe')" = " sweep " ] || { echo "a verb is offered twice" >&2; exit 1; }
refuse "$(offered 'timeless replay run')" --json
expect "$(offered 'timeless replay --mapping=b')" block:
[ "$(offered 'timeless replay --mapping block:1')" = "  " ] || { echo "a number is completed" >&2; exit 1; }
[ "$(offered 'timeless record -- ./program --ou')" = "  " ] || { echo "words of the program are completed" >&2; exit 1; }

if command -v zsh >/dev/null; then
  shell=zsh
  zsh -n "$share/zsh/site-functions/_timeless"
  cat >"$scratch/inner.zsh" <<'END'
fpath=($SHARE_DIRECTORY/zsh/site-functions $fpath)
autoload -Uz compinit
compinit -C -d $SCRATCH/functions # found once, for all shells
# What is added is written down as it stands in the list.
compadd() {
  local -a found
  if [[ " $* " != *" -"[AOD]" "* ]]; then
    builtin compadd -A found "$@"
    print -rn -- "$found " >>$OFFERED
  fi
  builtin compadd "$@"
}
finish() { print -r -- END >>$OFFERED; exit }
comppostfuncs=(finish)
bindkey '^I' complete-word
print -r -- READY >>$OFFERED
END
  cat >"$scratch/outer.zsh" <<'END'
zmodload zsh/zpty
zpty shell "zsh -f -i"
zpty -w shell "source $SCRATCH/inner.zsh"
line=$1
wait_for() {
  repeat 300; do
    if [[ -e $OFFERED && "$(<$OFFERED)" == *$1* ]]; then return; fi
    sleep 0.1
  done
  exit 1
}
wait_for READY
zpty -n -w shell "$line"$'\t'
wait_for END
zpty -d shell
END
  offered() {
    rm -f "$scratch/offered"
    SHARE_DIRECTORY=$share SCRATCH=$scratch OFFERED=$scratch/offered zsh -f "$scratch/outer.zsh" "$1" >/dev/null
    echo " $(tr '\n' ' ' <"$scratch/offered") "
  }
  whole= known_words
else
  echo "zsh is not here: its completions were not looked at" >&2
fi

if command -v fish >/dev/null; then
  shell=fish
  mkdir "$scratch/home"
  offered() {
    echo " $(HOME=$scratch/home fish --no-config -c "source $share/fish/vendor_completions.d/timeless.fish
      complete -C '$1'" | cut -f 1 | sed 's/^--[a-z]*=//' | tr '\n' ' ')"
  }
  whole=yes known_words
else
  echo "fish is not here: its completions were not looked at" >&2
fi
