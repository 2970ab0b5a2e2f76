"""Answers, and tables made of them."""


def flat(item, before=""):
    """One level of names, those of objects within joined by dots; lists are left out."""
    row = {}
    for name, value in item.items():
        if isinstance(value, dict):
            row.update(flat(value, before + name + "."))
        elif not isinstance(value, list):
            row[before + name] = value
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
    of `fail_on` was met, 6 where the answer is for a part of the trace only, else 0. `items_key` names the list that is the
    answer's main table."""

    def __init__(self, content, status, items_key):
        super().__init__(content)
        self.status = status
        self.items_key = items_key

    def rows(self):
        """The main table as a list of flat dictionaries."""
        return rows(self[self.items_key])

    def frame(self):
        """The main table as a pandas.DataFrame."""
        return frame(self[self.items_key])
