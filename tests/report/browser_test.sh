#!/usr/bin/env bash
# Looks at reports in headless Chromium: browser_test.sh TIMELESS REPORT_TRACES DIRECTORY. Ends with 77 where what it needs
# is missing. TIMELESS_BROWSER names another browser of Chromium's kind, TIMELESS_NODE_MODULES where the packages are.
set -u
timeless=$1 traces=$2 directory=$3
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "SKIPPED: $*"
  exit 77
}

browser=${TIMELESS_BROWSER:-$(command -v chromium || command -v google-chrome || true)}
[ -n "$browser" ] || skip "no chromium here (Debian: apt-get install chromium)"
command -v node >/dev/null || skip "no node here"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] || skip "node is older than 20"
command -v pdftotext >/dev/null || skip "no pdftotext here (Debian: apt-get install poppler-utils)"
modules=${TIMELESS_NODE_MODULES:-$directory/node_modules}
if [ ! -d "$modules/playwright-core" ] || [ ! -d "$modules/axe-core" ]; then
  cp "$here/package.json" "$directory/"
  (cd "$directory" && timeout 120 npm install --no-audit --no-fund >npm.log 2>&1) ||
    skip "npm cannot get playwright-core and axe-core; see $directory/npm.log"
fi

pages=$(mktemp -d "$directory/pages.XXXXXX") || exit 1
trap 'rm -rf "$pages"' EXIT
"$traces" "$pages" || exit 1
for name in ring one many hostile partial; do
  "$timeless" report "$pages/$name.tia" -o "$pages/$name.html" 2>"$pages/err"
  status=$?
  [ $status -eq 0 ] || { [ $name = partial ] && [ $status -eq 6 ]; } || { cat "$pages/err"; exit 1; }
done
"$timeless" report "$pages/ring.tia" "$pages/four.tia" --mapping block:2 -o "$pages/nodes.html" 2>"$pages/err" ||
  { cat "$pages/err"; exit 1; }
echo '{"format": "timeless.network/1", "name": "small", "eager_limit_bytes": 1000,
  "between_nodes": {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}}' >"$pages/small.json"
"$timeless" report "$pages/ring.tia" "$pages/four.tia" --network "e10g,e100g,$pages/small.json" -o "$pages/deadlock.html" \
  2>"$pages/err" || { cat "$pages/err"; exit 1; }
printf 'name,price,change\nfaster switches,120000,bandwidth x4\nlow-latency network,90000,latency /4\neverything,330000,"network=e100g, cpu x1.15"\n' \
  >"$pages/offers.csv"
"$timeless" report "$pages/ring.tia" --network e10g --upgrades "$pages/offers.csv" -o "$pages/upgrades.html" 2>"$pages/err" ||
  { cat "$pages/err"; exit 1; }
runs=$(for ranks in 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo "$pages/run-$ranks.tia"; done)
# shellcheck disable=SC2086 # words
"$timeless" report $runs --platform "$("$timeless" platform list --json | node -e '
  console.log(JSON.parse(require("fs").readFileSync(0)).platforms.map((one) => one.name).join(","))')" \
  -o "$pages/runs.html" 2>"$pages/err" || { cat "$pages/err"; exit 1; }
node "$here/browser.mjs" "$modules" "$browser" "$pages"
