#!/usr/bin/env python3
"""Holds bench/accuracy.py to what it writes of one launch, which has no interval, and of several: accuracy_test.py BENCH."""
import argparse
import sys

sys.path.insert(0, sys.argv[1])
import accuracy  # noqa: E402

SECOND = {"measured_seconds": 1.0, "error": -0.1, "distinguishable": True}


def said(interval):
    makespan = {**SECOND, "measured_interval_seconds": interval}
    part = {**SECOND, "error": 0.2}
    model = {"makespan": makespan, "computation": part, "communication": part, "with_measured_computation": {"error": -0.04}}
    return {"kind": "re-prediction", "predictions": [model], "variants": {"one_rate": 1.2, "smpi": 0.8}}


def page(launches, interval):
    options = argparse.Namespace(launches=launches, machine=None, output="/nowhere/accuracy.md")
    return accuracy.page(options, {"CG": said(interval)}, {("CG", 100): said(interval)}, {})


def main():
    one = page(1, None)
    assert "times are of one launch" in one, one
    assert "| CG | re-prediction | 1 s | -10.0 | +20.0 | -4.0 | -6.0 | -20.0 | +20.0 |" in one, one
    assert "| CG, 100 Mb/s | re-prediction | 1 s | -10.0 | +20.0 | +20.0 | -4.0 | -20.0 |" in one, one
    several = page(5, [0.9, 1.1])
    assert "times are medians of 5 launches with their interval" in several, several
    assert "| CG | re-prediction | 1 s (900 ms to 1.1 s) | -10.0 |" in several, several
    assert "| CG, 100 Mb/s | re-prediction | 1 s (900 ms to 1.1 s) | -10.0 |" in several, several


main()
