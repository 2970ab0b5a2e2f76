"""Answers, and tables made of them."""


def flat(item, before=""):
    """One level of names, those of objects within joined by dots. An interval is its .least and its .most, a list of texts one
    text; other lists are left out."""
    row = {}
    for name, value in item.items():
        if isinstance(value, dict):
            row.update(flat(value, before + name + "."))
        elif not isinstance(value, list):
            row[before + name] = value
        elif "interval" in name and len(value) == 2:
            row[before + name + ".least"], row[before + name + ".most"] = value
        elif value and all(isinstance(one, str) for one in value):
            row[before + name] = "; ".join(value)
    return row


def rows(items):
    """A list of flat dictionaries, one for each of these."""
    return [flat(item) for item in items]


def frame(items):
    """A pandas.DataFrame with a row for each of these dictionaries. Raises ImportError where pandas is missing."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas (Debian: python3-pandas); rows() gives a list of dictionaries") from error
    return pandas.DataFrame(rows(items))


class Answer(dict):
    """The JSON that a verb printed, as dictionaries and lists. `status` is the command's exit status: 4 where a condition
    of `fail_on` was met, 6 where the answer is for a part of the trace only, else 0. `table` makes the dictionaries of its main
    table of it."""

    def __init__(self, content, status, table):
        super().__init__(content)
        self.status = status
        self.table = table

    def rows(self):
        """The main table as a list of flat dictionaries."""
        return rows(self.table(self))

    def frame(self):
        """The main table as a pandas.DataFrame."""
        return frame(self.table(self))
