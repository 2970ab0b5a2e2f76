#!/usr/bin/env python3
"""Holds every include to the table of folders in CONTRIBUTING.md: includes.py ROOT.

The table is the map of the project and the rule at once. A folder may include itself, the folders in its row, and what
those may include. Says what is wrong, one line each, and ends with 1: a folder without a row, a row without a folder, an
include against the arrows, an arrow that nothing needs, a circle of arrows.
"""

import os
import re
import sys

include = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
heading = re.compile(r"^ +folder +holds +includes$")
row = re.compile(r"^ {4}(\S+) {2,}\S.*? {2,}(\S+(?: \S+)*)$")


def read_table(path):
    """What each folder's row names; rows end at the first line that is none."""
    table = {}
    with open(path, encoding="utf-8") as file:
        lines = iter(file.read().splitlines())
    if not any(heading.match(line) for line in lines):
        sys.exit(f"{path}: no table with the columns folder, holds, includes")
    for line in lines:
        columns = row.match(line)
        if not columns:
            break
        table[columns[1].rstrip("/")] = [] if columns[2] == "-" else columns[2].split()
    return table


def sources_below(root, tops):
    for top in tops:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                if name.endswith((".h", ".cpp", ".c", ".def")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def reachable(table, folder, seen):
    for other in table.get(folder, []):
        if other not in seen:
            seen.add(other)
            reachable(table, other, seen)
    return seen


def direct_includes(root, sources):
    """(file, line, included file) for each include of a file of ours."""
    known = set(sources)
    for source in sources:
        with open(os.path.join(root, source), encoding="utf-8", errors="replace") as file:
            text = file.read()
        for found in include.finditer(text):
            if found[1] in known:
                yield source, text.count("\n", 0, found.start(1)) + 1, found[1]


def main(root):
    table = read_table(os.path.join(root, "CONTRIBUTING.md"))
    sources = sorted(sources_below(root, sorted({folder.split("/")[0] for folder in table})))
    folders = {os.path.dirname(source) for source in sources}
    wrong = [f"{folder}: has no row in the table" for folder in sorted(folders - table.keys())]
    wrong += [f"{folder}: has a row, but no sources" for folder in sorted(table.keys() - folders)]
    allowed = {folder: reachable(table, folder, set()) for folder in table}
    wrong += [f"{folder}: may include itself by way of others" for folder in table if folder in allowed[folder]]
    used = set()
    for source, line, target in direct_includes(root, sources):
        here, there = os.path.dirname(source), os.path.dirname(target)
        used.add((here, there))
        if here != there and there not in allowed.get(here, set()):
            wrong.append(f"{source}:{line}: {here} may not include {there} ({target})")
    for folder, arrows in table.items():
        wrong += [f"{folder}: includes nothing of {other}" for other in arrows if (folder, other) not in used]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
