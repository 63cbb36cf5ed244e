"""--cluster: work that can be divided goes to other processes, on this machine or on many.

What is sent are names and numbers, and what comes back does not depend on who worked it out, so a
result is the same without. A worker that dies has its part done again by another.
"""

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, NamedTuple

from solver.advice.wire import BadInput

HERE = "local"
WAIT = "30s"  # for a scheduler to answer
ONE_CORE = ("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")  # a worker is one, and shares the machine


class Cluster(NamedTuple):
    pool: Executor
    cores: int


def add_cluster_option(parser: Any) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"where to calculate: the scheduler of a dask cluster (tcp://HOST:PORT), or {HERE}"
        ": a process a core of this machine (needs the extra: pip install '.[cluster]')",
    )


@contextmanager
def cluster_of(options: argparse.Namespace) -> Iterator[Cluster | None]:
    """Open the cluster and close it at the end; None if none was asked for."""
    if not options.cluster:
        yield None
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise BadInput("--cluster needs dask.distributed: pip install '.[cluster]'") from None
    if options.cluster == HERE:
        os.environ |= dict.fromkeys(ONE_CORE, "1")  # anyone who is started now inherits it
        here = LocalCluster(
            n_workers=getattr(options, "cores", None) or os.cpu_count(),
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=None,  # tables are mapped: what is shared is not counted against anybody
        )
        with here, Client(here) as client:
            yield _cluster(client)
        return
    try:
        client = Client(options.cluster, timeout=WAIT)
    except (OSError, ValueError) as error:
        raise BadInput(f"no cluster answers at {options.cluster}: {error}") from None
    with client:
        yield _cluster(client)


def _cluster(client: Any) -> Cluster:
    cores = sum(client.ncores().values())
    if not cores:
        raise BadInput("the cluster has no workers")
    return Cluster(client.get_executor(pure=False), cores)
