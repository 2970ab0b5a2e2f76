"""same_factors.py TRUTH.xml FOUND.xml: whether two platforms charge messages the same.

At sizes away from where either changes, overheads and the time on the network must agree; the limit of rendezvous must be the same.
A route within a cabinet of TRUTH crosses two of its cluster's links, as one of FOUND does.
"""
import re
import sys

ENVELOPE = 16


def read(name):
    text = open(name).read()
    settings = dict(re.findall(r'id="smpi/([\w-]+)" value="([^"]*)"', text))
    cluster = re.search(r"<cluster[^>]*>", text, re.S).group(0)
    units = {"us": 1e-6, "s": 1, "MBps": 1e6, "Bps": 1}

    def quantity(key):
        value, unit = re.match(r"([\d.e+-]+?)(us|s|MBps|Bps)$", re.search(key + r'="([^"]*)"', cluster).group(1)).groups()
        return float(value) * units[unit]

    return {"settings": settings, "latency": 2 * quantity(" lat"), "bandwidth": quantity(" bw")}


def pieces(setting):
    return [[float(number) for number in piece.split(":")] for piece in setting.split(";")]


def piece(setting, size):
    found = pieces(setting)[0]
    for one in pieces(setting):
        if one[0] < size:
            found = one
    return found


def overhead(platform, name, size):
    one = piece(platform["settings"][name], size)
    return one[1] + one[2] * size


def wire(platform, size):
    sent = size + ENVELOPE
    factors = platform["settings"]
    return (piece(factors["lat-factor"], sent)[1] * platform["latency"] +
            sent / (platform["bandwidth"] * piece(factors["bw-factor"], sent)[1]))


def breaks(platform):
    sizes = []
    for name in ("os", "ois", "or", "bw-factor", "lat-factor"):
        sizes += [one[0] for one in pieces(platform["settings"][name])]
    return sizes


def main():
    truth, found = read(sys.argv[1]), read(sys.argv[2])
    limit = int(truth["settings"]["send-is-detached-thresh"])
    assert int(found["settings"]["send-is-detached-thresh"]) == limit, "another limit of rendezvous"
    asynchronous = int(truth["settings"]["async-small-thresh"])
    assert abs(int(found["settings"]["async-small-thresh"]) / asynchronous - 1) < 0.05, "another limit of asynchronous sends"
    known = [size for size in breaks(truth) + breaks(found) if size > 0]
    worst = 0
    checked = 0
    size = 2.0
    while size < 2e6:
        bytes_ = int(size)
        if all(abs(bytes_ / one - 1) > 0.05 for one in known):
            # Both sum up to the same, so the ends' parts tell the network's.
            for name in ("os", "ois", "or"):
                if bytes_ < limit:
                    one, other = overhead(truth, name, bytes_), overhead(found, name, bytes_)
                    assert abs(one - other) <= 1e-5 * max(one, 1e-9), f"{name} of {bytes_} bytes: {one} and {other}"
            one, other = wire(truth, bytes_), wire(found, bytes_)
            assert abs(other / one - 1) <= 1e-4, f"{bytes_} bytes: {one} s and {other} s"
            worst = max(worst, abs(other / one - 1))
            checked += 1
        size *= 1.1
    assert checked > 50, "too few sizes"
    print(f"{checked} sizes, the network's part within {worst:.1e}")


main()
