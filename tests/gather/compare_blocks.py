#!/usr/bin/env python3
"""compare_blocks.py ARCHIVE ARCHIVE...: says where archives differ in what their ranks did, byte by byte.

Every block but the definitions (which name hosts and dates) and the index (which follows from the rest) has to be the same,
in the same order. The layout of files and blocks is that of docs/archive-format.md.
"""
import struct
import sys

FILE_HEADER, BLOCK_HEADER = 16, 48
DEFINITIONS, INDEX = 1, 3


def blocks(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"TIMELESS":
        sys.exit(f"{path} is no archive")
    at, kept = FILE_HEADER, []
    while data[at : at + 4] == b"TBLK":
        kind, rank, actions, stored = data[at + 4], *struct.unpack_from("<iII", data, at + 8)
        first = struct.unpack_from("<Q", data, at + 24)[0]
        payload = data[at + BLOCK_HEADER : at + BLOCK_HEADER + stored]
        if len(payload) != stored:
            sys.exit(f"{path} is cut short")
        if kind not in (DEFINITIONS, INDEX):
            kept.append(((kind, rank, actions, first), payload))
        at += BLOCK_HEADER + stored
    return kept


def main():
    paths = sys.argv[1:]
    reference = blocks(paths[0])
    if not reference:
        sys.exit(f"{paths[0]} has no blocks")
    different = False
    for path in paths[1:]:
        others = blocks(path)
        if len(others) != len(reference):
            print(f"{path} has {len(others)} blocks, {paths[0]} has {len(reference)}")
            different = True
        for ours, theirs in zip(reference, others):
            if ours != theirs:
                print(f"{path}: the block (type, rank, actions, first) {theirs[0]} differs from {ours[0]} of {paths[0]}")
                different = True
    print(f"{len(reference)} blocks, {sum(len(payload) for _, payload in reference)} bytes")
    sys.exit(1 if different else 0)


main()
