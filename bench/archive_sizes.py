#!/usr/bin/env python3
"""How large gathered archives are beside the text of the same actions, plain and compressed by zstd at level 19.

    bench/archive_sizes.py --bin BUILD/bin RUN.tia ...

Prints a table: calls, computations, bytes of the text, of the text compressed, of the archive, and of its structure and
volumes alone; and the ratio of the compressed text to the archive.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def output_of(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def text_sizes(timeless, archive):
    """Bytes of the dumped text, and of that after zstd -19, without keeping either."""
    dump = subprocess.Popen([timeless, "dump", archive], stdout=subprocess.PIPE)
    squeeze = subprocess.Popen(["zstd", "-19", "-q", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    plain = 0
    while chunk := dump.stdout.read(1 << 20):
        plain += len(chunk)
        squeeze.stdin.write(chunk)
    squeeze.stdin.close()
    compressed = len(squeeze.stdout.read())
    if dump.wait() not in (0, 6) or squeeze.wait() != 0:
        sys.exit(f"{archive}: dump or zstd failed")
    return plain, compressed


def row(timeless, archive):
    info = json.loads(output_of([timeless, "info", "--json", archive]))
    calls = {name: figures["count"] for name, figures in info["calls"].items()}
    computations = calls.pop("compute", 0)
    plain, compressed = text_sizes(timeless, archive)
    parts = info["bytes_of"]
    ours = info["bytes_on_disk"]
    return [pathlib.Path(archive).name, info["ranks"] if isinstance(info["ranks"], int) else len(info["ranks"]),
            sum(calls.values()), computations, plain, compressed, ours, parts["structure"], parts["volumes"],
            f"{compressed / ours:.1f}"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", required=True, help="directory of the timeless command")
    arguments.add_argument("archives", nargs="+")
    options = arguments.parse_args()
    timeless = str(pathlib.Path(options.bin) / "timeless")
    print("| archive | ranks | calls | computations | text | text + zstd-19 | ours | of it structure | volumes | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for archive in options.archives:
        print("| " + " | ".join(str(cell) for cell in row(timeless, archive)) + " |")


main()
