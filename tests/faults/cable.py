"""A cable between this machine and a PostgreSQL: what is dropped on it nobody is told of.

The other end is a network of its own, of which this one knows but for one address. Cut, both ends
send to a card that nobody has: nothing is refused, nothing arrives.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

NEAR, FAR = "198.51.100.1", "198.51.100.2"  # addresses that are nobody's (RFC 5737)
NOBODY = "02:00:00:00:00:01"
NAME = f"yatzy{os.getpid()}"  # of the other network, and of both ends


class Cable:
    within = ("ip", "netns", "exec", NAME)  # how a program is run at the other end

    def lay(self) -> None:
        _ip("netns add", NAME)
        _ip("link add", f"{NAME}n type veth peer name {NAME}f netns {NAME}")
        _ip(f"-n {NAME} link set lo up")
        for network, address, end in (("", NEAR, "n"), (f"-n {NAME}", FAR, "f")):
            _ip(network, f"address add {address}/30 dev {NAME}{end}")
            _ip(network, f"link set {NAME}{end} up")

    def cut(self) -> None:
        self._neighbours("replace", f"lladdr {NOBODY} nud permanent")

    def mend(self) -> None:
        self._neighbours("del")

    def take_away(self) -> None:
        _ip(f"link del {NAME}n")  # both ends, and at once: the network goes when it has time
        _ip("netns del", NAME)

    def _neighbours(self, what: str, more: str = "") -> None:
        _ip(f"neighbour {what} {FAR} {more} dev {NAME}n")
        _ip(f"-n {NAME} neighbour {what} {NEAR} {more} dev {NAME}f")


@contextmanager
def cable() -> Iterator[Cable]:
    laid = Cable()
    laid.lay()
    try:
        yield laid
    finally:
        laid.take_away()


@cache
def may_lay_one() -> bool:
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "setpriv"))):
        return False
    try:
        with cable():
            return True
    except subprocess.CalledProcessError:
        return False


def _ip(*words: str) -> None:
    subprocess.run(["ip", *" ".join(words).split()], check=True, capture_output=True)
