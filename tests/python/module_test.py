"""The Python module: what it passes to the command, what it makes of answers, errors and warnings."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

COMMAND, MODULE = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, MODULE)
os.environ["TIMELESS"] = COMMAND
import timeless  # noqa: E402
from timeless import running  # noqa: E402


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(cls.folder.name)
        for name, volume in (("run", 1000000), ("other", 2000000)):
            (place / f"{name}.txt").write_text(
                f"0 init\n0 compute {volume}\n0 send 1 0 100000\n0 finalize\n1 init\n1 recv 0 0 100000\n1 finalize\n")
            subprocess.run([COMMAND, "convert", "--from", "ti", str(place / f"{name}.txt"), "-o",
                            str(place / f"{name}.tia")], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        cls.trace = place / "run.tia"
        cls.other = place / "other.tia"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.quiet = warnings.catch_warnings(record=True)
        self.said = self.quiet.__enter__()
        warnings.simplefilter("always")

    def tearDown(self):
        self.quiet.__exit__(None, None, None)

    def test_replay_answers_what_the_command_prints(self):
        answer = timeless.replay(self.trace, network=["e1g", "qdr"], bandwidth=["x1", "x2"])
        printed = subprocess.run([COMMAND, "replay", str(self.trace), "--network", "e1g,qdr", "--bandwidth", "x1,x2",
                                  "--json"], check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(dict(answer), json.loads(printed))
        self.assertEqual(answer.status, 0)
        self.assertEqual(len(answer.rows()), 4)
        self.assertEqual(answer.rows()[0]["mean_seconds.compute"],
                         answer["configurations"][0]["mean_seconds"]["compute"])
        self.assertNotIn("ranks", answer.rows()[0])

    def test_sweep_has_the_times_of_replay(self):
        swept = timeless.sweep(self.trace, network="e1g", bandwidth=["x1", "x2"])
        replayed = timeless.replay(self.trace, network="e1g", bandwidth=["x1", "x2"])
        times = lambda answer: sorted(row["makespan_seconds"] for row in answer.rows())
        self.assertEqual(times(swept), times(replayed))

    def test_sweep_asks_each_of_several_questions(self):
        asked = timeless.sweep(self.trace, network="e1g", what_if=["cpu x2", "network=qdr"])
        self.assertEqual([one["change"] for one in asked["what_if"]], ["cpu x2", "network=qdr"])

    def test_classify_has_a_row_per_machine_of_each_trace(self):
        rows = timeless.classify(self.trace, network=["e1g", "e10g"]).rows()
        self.assertEqual([row["network"] for row in rows], ["e1g", "e10g"])
        where = timeless.classify(self.trace, network=None, where=["25Gb/s,1us", "100Gb/s,1us"])
        self.assertEqual(len(where.rows()), 2)
        several = timeless.classify(self.trace, self.other, network="e1g,qdr").rows()
        self.assertEqual([(row["trace"], row["network"]) for row in several],
                         [(str(trace), network) for trace in (self.trace, self.other) for network in ("e1g", "qdr")])
        for row in rows + several:
            self.assertEqual(row["ranks"], 2)
            self.assertIn(row["confidence"], ("low", "medium", "high"))
            self.assertIsInstance(row["confidence_reasons"], str)
            self.assertTrue(row["class"] and row["reason"] and row["helps"] and row["sentence"])
            self.assertLessEqual(row["saving_interval.least"], row["saving"])
            self.assertGreater(row["evidence.total_seconds"], 0)

    def test_rows_of_every_verb_have_figures_and_no_lists(self):
        tables = {"makespan_seconds": [timeless.replay(self.trace, network="e1g"), timeless.sweep(self.trace, network="e1g"),
                                       timeless.report(self.trace, network=["e1g", "qdr"])],
                  "saving": [timeless.classify(self.trace, network="e1g")], "actions": [timeless.info(self.trace)]}
        for column, answers in tables.items():
            for row in (row for answer in answers for row in answer.rows()):
                self.assertGreater(row[column], 0)
                self.assertFalse([name for name, value in row.items() if isinstance(value, (list, dict))])

    def test_conditions_that_are_met_are_no_errors(self):
        rows = timeless.classify(self.trace, network=["e1g", "e10g"]).rows()
        met = timeless.classify(self.trace, network="e1g", fail_on=rows[0]["class"])
        self.assertEqual(met.status, 4)

    def test_compare_has_a_row_per_rank(self):
        files = []
        for network in ("e1g", "qdr"):
            files.append(pathlib.Path(self.folder.name, network + ".json"))
            files[-1].write_text(json.dumps(timeless.replay(self.trace, network=network)))
        self.assertEqual(len(timeless.compare(*files).rows()), 2)

    def test_actions_come_one_by_one(self):
        found = list(timeless.actions(self.trace))
        self.assertEqual([action["rank"] for action in found if action["call"] in ("Send", "Recv")], [0, 1])
        self.assertEqual({action["rank"] for action in timeless.actions(self.trace, rank="1")}, {1})
        for action in timeless.actions(self.trace):
            break  # a reader may stop early
        with self.assertRaises(timeless.TimelessError):
            list(timeless.actions("missing.tia"))

    def test_info_lists_ranks_and_kernels(self):
        self.assertEqual([row["rank"] for row in timeless.info(self.trace).rows()], [0, 1])
        self.assertIn("kernels", timeless.info(self.trace, kernels=True))

    def test_errors_have_status_and_words(self):
        with self.assertRaises(timeless.TimelessError) as missing:
            timeless.replay("missing.tia")
        self.assertEqual(missing.exception.status, 3)
        self.assertIn("missing.tia", str(missing.exception))
        with self.assertRaises(timeless.TimelessError) as usage:
            timeless.replay(self.trace, netwrk="e1g")
        self.assertEqual(usage.exception.status, 2)
        self.assertIn("--netwrk", str(usage.exception))
        os.environ["TIMELESS"] = "/missing/timeless"
        try:
            with self.assertRaises(timeless.TimelessError) as absent:
                timeless.replay(self.trace)
            self.assertEqual(absent.exception.status, 5)
        finally:
            os.environ["TIMELESS"] = COMMAND

    def test_partial_answers_are_answers_with_warnings(self):
        text = pathlib.Path(self.folder.name, "two.sh")
        text.write_text("#!/bin/sh\necho 'timeless: warning: the trace is incomplete' >&2; echo 'timeless: wrote a page' >&2\necho '{\"configurations\": []}'\nexit 6\n")
        text.chmod(0o755)
        os.environ["TIMELESS"] = str(text)
        try:
            answer = timeless.replay("anything")
        finally:
            os.environ["TIMELESS"] = COMMAND
        self.assertEqual((answer.status, answer.rows()), (6, []))
        self.assertEqual([str(one.message) for one in self.said], ["the trace is incomplete"])
        self.assertIs(self.said[0].category, timeless.TimelessWarning)

    def test_paths_are_what_python_takes_for_one(self):
        self.assertEqual(running.words("info", [b"run.tia", self.trace], {})[-2:], ["run.tia", str(self.trace)])
        with self.assertRaisesRegex(TypeError, "arguments of their own"):
            timeless.classify([self.trace, self.other])

    def test_options_become_words(self):
        line = running.words("replay", ["a.tia"], {"from_": "ti", "compute_rate": 2.5e9, "strict": True, "json": False,
                                                   "hostfile": None, "platform": ["a.xml", "b.xml"], "network": ["x", "y"]})
        self.assertEqual(line[1:], ["replay", "--from", "ti", "--compute-rate", "2500000000.0", "--strict", "--platform",
                                    "a.xml", "--platform", "b.xml", "--network", "x,y", "a.tia"])

    def test_frames_need_pandas_and_have_the_rows(self):
        answer = timeless.replay(self.trace, network="e1g")
        before = sys.modules.get("pandas")
        try:
            sys.modules["pandas"] = None
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                answer.frame()
            sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
            self.assertEqual(answer.frame(), ("frame", answer.rows()))
        finally:
            del sys.modules["pandas"]
            if before is not None:
                sys.modules["pandas"] = before


unittest.main()
