"""Data frames of answers, with pandas itself: frames_test.py COMMAND MODULE. Exits with 77 where pandas is missing."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import pandas
except ImportError:
    print("python3-pandas is not here: data frames were not looked at")
    sys.exit(77)

COMMAND, MODULE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
sys.path.insert(0, str(MODULE))
os.environ["TIMELESS"] = str(COMMAND)
import timeless  # noqa: E402

DOCUMENTS = [MODULE.parent / "docs/python.md", MODULE / "timeless/__init__.py"]


def documented_lines():
    """The lines of code that a reader is shown, with those that go on with them."""
    for document in DOCUMENTS:
        text = document.read_text()
        if document.suffix == ".py":
            text = "".join(">>> " + line.strip() + "\n"
                           for line in re.findall(r"^    .*$", text.split('"""')[1], re.MULTILINE))
        for found in re.finditer(r">>> (.*\n(?: *\.\.\. .*\n)*)", text):
            yield document.name, re.sub(r"^ *\.\.\. ", "", found.group(1), flags=re.MULTILINE)


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.before = os.getcwd()
        os.chdir(cls.folder.name)
        for name, volume in (("run", 1000000), ("cg.A", 2000000)):
            pathlib.Path(f"{name}.txt").write_text(
                f"0 init\n0 compute {volume}\n0 send 1 0 100000\n0 finalize\n1 init\n1 recv 0 0 100000\n1 finalize\n")
            subprocess.run([COMMAND, "convert", "--from", "ti", f"{name}.txt", "-o", f"{name}.tia"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        warnings.simplefilter("ignore", timeless.TimelessWarning)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.folder.cleanup()

    def check(self, answer, column):
        table = answer.frame()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(len(table), len(answer.rows()))
        self.assertGreater(len(table), 0)
        self.assertEqual(list(table[column]), [row[column] for row in answer.rows()])

    def test_have_the_rows_of_every_answer(self):
        self.check(timeless.replay("run.tia", network=["e1g", "qdr"]), "mean_seconds.compute")
        self.check(timeless.sweep("run.tia", network="e1g", cpu=["x1", "x2"]), "cpu_factor")
        self.check(timeless.classify("run.tia", network=["e1g", "qdr"]), "class")
        self.check(timeless.classify("run.tia", "cg.A.tia", network="e1g,qdr"), "trace")
        self.check(timeless.classify("run.tia", platform=["graphene", "griffon"]), "class")
        self.check(timeless.report("run.tia", network=["e1g", "qdr"]), "makespan_seconds")
        self.check(timeless.info("run.tia"), "rank")
        self.check(timeless.info("run.tia", kernels=True), "kernel")

    def test_are_made_of_any_list(self):
        ranks = timeless.frame(timeless.replay("run.tia", network="e1g")["configurations"][0]["ranks"])
        self.assertEqual(list(ranks["rank"]), [0, 1])
        self.assertEqual(len(timeless.frame(timeless.actions("run.tia"))), 5)

    def test_report_writes_a_page_beside_its_answer(self):
        answer = timeless.report("run.tia", network="e1g", output="page.html")
        self.assertIn("<html", pathlib.Path("page.html").read_text())
        self.assertIn("verdict", answer)

    def test_documented_lines_run(self):
        names = {}
        count = 0
        for document, line in documented_lines():
            if "matplotlib" in line:
                line = re.sub(r"\.plot\(.*", "", line)  # which draws, and is pandas' own
            try:
                exec(compile(line, document, "single"), names)  # noqa: S102
            except Exception as error:
                raise AssertionError(f"{document}: {line}: {error!r}") from error
            count += 1
        self.assertGreater(count, 8)


unittest.main()
