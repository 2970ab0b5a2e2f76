#!/usr/bin/env python3
"""Asks every source folder for a README, each type of a header for words, and those above functions for a verb:
docstrings.py ROOT.

A type is asked that stands at the beginning of a line, where it is defined. What stands above a function in a header
(///) begins with what the function does: "Computes", "Returns", "Blocks". The rule is crude: a first word that ends in
-s is a verb, unless it is listed as something else. Says what is wrong, one line each, and ends with 1.
"""

import os
import re
import sys

tops = ("analysis", "base", "bench", "gather", "include", "microkernels", "ping", "replay", "tests", "tools", "trace",
        "tracer")
sources = (".h", ".cpp", ".c", ".def", ".py", ".sh")
no_verbs = set("""across actions all's always as besides bytes cells columns elements figures its items kernels lanes less
    lengths lines links nanoseconds ours parts perhaps ranks seconds symbols tables this thus times unless values
    volumes whereas words workers""".split())
no_function = re.compile(r"#|(?:friend )?(?:class|struct|union|enum|using|namespace|typedef|concept)\b")
attribute = re.compile(r"\[\[[^]]*\]\]|\b(?:alignas|requires|decltype|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)")
operator = re.compile(r"\boperator\s*(?:\(\)|[^\s\w(]+)")
template = re.compile(r"<[^<>]*>")
type_head = re.compile(r"(?:class|struct|union|enum)\b")


def simplified(code):
    """A declaration without attributes and template arguments; operators have names."""
    code = operator.sub("operator_", attribute.sub("", code)).replace("->", " ")
    while (shorter := template.sub("", code)) != code:
        code = shorter
    return re.sub(r"^\s*template\b", "", code).strip()


def declares_function(lines):
    """Whether what begins at the first of these lines declares a function, or a pointer to one."""
    code = ""
    for line in lines[:12]:
        code += " " + line.split("//")[0].strip()
        if re.search(r"[;{]", simplified(code)):
            break
    code = simplified(code)
    head = re.split(r"[;{]", code)[0]
    name = re.search(r"\w\s*\(", head)
    return not no_function.match(code) and bool(name) and "=" not in head[:name.start()]


def function_docstrings(path):
    """(line, words) of what stands above each function of a header."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    begin = None
    for number, line in enumerate(lines):
        if re.match(r"\s*///(?!<)", line):
            begin = number if begin is None else begin
            continue
        if begin is not None and line.strip() and declares_function(lines[number:]):
            yield begin + 1, " ".join(each.strip()[3:].strip() for each in lines[begin:number])
        begin = None


def types_without_words(path):
    """(line, code) of each type that a header defines at its top level with nothing above that tells what it is."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines):
        if not type_head.match(line) or (";" in line and "{" not in line):
            continue
        above = number - 1
        while above >= 0 and lines[above].startswith(("template", "    ")):
            above -= 1
        if above < 0 or not (lines[above].startswith("///") or lines[above].endswith("*/")):
            yield number + 1, line


def begins_with_verb(words):
    first = re.match(r"[A-Za-z'-]+", words)
    return bool(first) and first[0].endswith("s") and not first[0].endswith("'s") and first[0].lower() not in no_verbs


def faults_of(root, folder):
    here = os.path.relpath(folder, root)
    files = sorted(os.listdir(folder))
    if any(name.endswith(sources) for name in files):
        if "README.md" not in files:
            yield f"{here}: has no README.md"
        elif os.path.getsize(os.path.join(folder, "README.md")) < 80:
            yield f"{here}/README.md: says too little"
    for name in files:
        if name.endswith(".h"):
            path = os.path.join(folder, name)
            for line, words in function_docstrings(path):
                if not begins_with_verb(words):
                    yield f"{here}/{name}:{line}: begins with no verb: {words[:60]}"
            for line, code in types_without_words(path):
                yield f"{here}/{name}:{line}: a type without words above it: {code}"


def main(root):
    wrong = [fault
             for top in tops
             for folder, _, _ in sorted(os.walk(os.path.join(root, top)))
             for fault in faults_of(root, folder)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
