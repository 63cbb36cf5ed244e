"""A cluster calculates the same results as this machine."""

import argparse
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from solver.advice.wire import BadInput
from solver.arena.chunks import Setting
from solver.arena.contestants import Contestant, find_contestants
from solver.arena.tournament import Tournament, play
from solver.cli.cluster import open_cluster
from solver.learning.policy_gradient import ablations
from solver.players.learned import NetworkPlay
from solver.rules import YATZY
from tests.known import known

SETTING = Setting(YATZY, 7)
SIZE = ablations.Size("yatzy", games=16, seeds=1, graded=20, usual=1)


class Elsewhere(Executor):
    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        self.sent: list[str] = []

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        self.sent.append(getattr(fn, "__name__", "part"))
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere() as pool:
        yield pool


def tournament(pool: Executor | None = None, names: tuple[str, ...] = ("greedy",)) -> Tournament:
    return play(find_contestants(["optimal", *names], YATZY), SETTING, 600, threads=3, pool=pool)


def same(one: Tournament, other: Tournament) -> bool:
    pairs = zip(one.played, other.played, strict=True)
    return all(
        np.array_equal(getattr(known(a), what), getattr(known(b), what))
        for a, b in pairs
        for what in ("scores", "luck", "regret", "decisions")
    )


@pytest.mark.usefixtures("yatzy_tables")
def test_a_tournament_is_the_same_wherever_its_chunks_are_played(elsewhere: Elsewhere) -> None:
    elsewhere.sent.clear()
    assert same(tournament(elsewhere), tournament())
    assert elsewhere.sent == ["play_known"] * 6
    own = find_contestants(["greedy"], YATZY)[0]
    unknown = Contestant("mine", own.agent)  # other processes cannot find this agent
    play([unknown], SETTING, 10, pool=elsewhere)
    assert len(elsewhere.sent) == 6


def far(player: NetworkPlay, games: int) -> float:
    return float(sum(abs(array).sum() for array in player.network.parameters.values()))


def test_ablations_are_the_same_wherever_they_run_and_wait_for_what_they_begin_with(
    elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"width": 8, "depth": 1, "batch": 8}
    few = {"turns": {"task": "turn", **small}, "then": {"from": "turns", **small}}
    monkeypatch.setattr(ablations, "ABLATIONS", {"transfer": few})
    folders = tmp_path / "here", tmp_path / "there"
    elsewhere.sent.clear()
    for folder, place in zip(folders, (None, elsewhere), strict=True):
        runs = ablations.list_runs(["transfer"], SIZE, folder)
        assert [run.origin is None for run in runs] == [True, True, False]
        told: list[tuple[int, int]] = []
        ablations.train_all(
            runs, 20, far, pool=place, progress=lambda *done, told=told: told.append(done)
        )
        assert told == [(1, 3), (2, 3), (3, 3)]
    assert len(elsewhere.sent) == 3
    for folder in folders:
        ablations.write_figures(SIZE, folder)
    here, there = map(ablations.read_figures, folders)
    for one, other in zip(here, there, strict=True):
        one.means.pop("cpu_seconds"), other.means.pop("cpu_seconds")
        assert one == other


def asked(address: str) -> argparse.Namespace:
    return argparse.Namespace(cluster=address, cores=2)


def test_without_the_extra_it_is_said_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"pip install '.\[cluster\]'"), open_cluster(asked("local")):
        pass


@pytest.mark.nightly
@pytest.mark.needs("distributed")
@pytest.mark.usefixtures("yatzy_tables")
def test_a_cluster_on_this_machine_plays_the_same_tournament() -> None:
    with open_cluster(asked("local")) as cluster:
        assert known(cluster).cores == 2
        assert same(tournament(known(cluster).pool), tournament())


@contextmanager
def begun(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.DEVNULL) as process:
        yield process
        process.kill()


@pytest.mark.nightly
@pytest.mark.needs("distributed")
@pytest.mark.usefixtures("yatzy_tables")
def test_a_worker_that_is_killed_loses_nothing() -> None:
    address = "tcp://127.0.0.1:8799"
    worker = ("distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1")
    scheduler = ("distributed.cli.dask_scheduler", "--port", "8799", "--no-dashboard")
    with (
        begun(*scheduler),
        begun(*worker) as first,
        begun(*worker),
        open_cluster(asked(address)) as cluster,
    ):
        pool = known(cluster).pool
        submit, sent = pool.submit, []

        def killing(fn, /, *args):  # type: ignore[no-untyped-def]
            sent.append(fn)
            if len(sent) == 5:
                first.send_signal(signal.SIGKILL)
            return submit(fn, *args)

        pool.submit = killing  # type: ignore[method-assign,assignment]
        assert same(tournament(pool), tournament())
        assert first.wait(10) == -signal.SIGKILL
