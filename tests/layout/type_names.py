#!/usr/bin/env python3
"""Asks that no two types of one namespace have one name: type_names.py ROOT.

Two sources may each have a type of their own that no header shows; where both are in one namespace with a name, the
linker takes the functions of one for both, and says nothing. Types in a namespace without a name are each source's own.
Looks at types and namespaces that begin a line, as the formatter has them. Says what is wrong, one line each, and ends
with 1.
"""

import collections
import os
import re
import sys

tops = ("advisor", "analysis", "base", "gather", "microkernels", "ping", "platforms", "replay", "tools", "trace", "tracer")
namespace_begins = re.compile(r"namespace\s*([\w:]*)\s*{")
namespace_ends = re.compile(r"}\s*// namespace")
type_begins = re.compile(r"(?:class|struct|union|enum(?: class| struct)?)\s+([A-Za-z_]\w*)(?:\s+final)?\s*(?::[^:;]*)?{")


def sources(root):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(root, top)):
            yield from (os.path.join(folder, name) for name in names if name.endswith((".h", ".cpp")))


def types_of(path):
    """The full names of the types that a source defines in namespaces with names."""
    open_namespaces = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if begun := namespace_begins.match(line):
                if "}" not in line:
                    open_namespaces.append(begun[1])
            elif namespace_ends.match(line) and open_namespaces:
                open_namespaces.pop()
            elif (defined := type_begins.match(line)) and all(open_namespaces):
                yield "::".join([*open_namespaces, defined[1]])


def main():
    root = sys.argv[1]
    defined_in = collections.defaultdict(set)
    for path in sources(root):
        for name in types_of(path):
            defined_in[name].add(os.path.relpath(path, root))
    if not defined_in:
        sys.exit(f"no types found under {root}")
    wrong = {name: places for name, places in defined_in.items() if len(places) > 1}
    for name, places in sorted(wrong.items()):
        print(f"{name} is a type in {', '.join(sorted(places))}: give each a name of its own, or a namespace without one")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
