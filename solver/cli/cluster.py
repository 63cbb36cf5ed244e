"""The option --cluster, which runs parts of a calculation in other processes or on other machines.

Only names and numbers travel between processes. The results are the same as without a cluster. If a
worker dies, another worker repeats its part.
"""

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, NamedTuple

from solver.advice.wire import BadInput

HERE = "local"
WAIT = "30s"  # time to wait for the scheduler's answer
ONE_CORE = ("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")  # limit each worker to one core


class Cluster(NamedTuple):
    pool: Executor
    cores: int


def add_cluster_option(parser: Any) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"scheduler of a dask cluster (tcp://HOST:PORT), or {HERE} for one process per core of"
        " this machine; needs: pip install '.[cluster]' (default: no cluster)",
    )


@contextmanager
def open_cluster(options: argparse.Namespace) -> Iterator[Cluster | None]:
    """Yield the cluster of --cluster and close it at the end. Without the option yield None."""
    if not options.cluster:
        yield None
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise BadInput("--cluster needs dask.distributed: pip install '.[cluster]'") from None
    if options.cluster == HERE:
        os.environ |= dict.fromkeys(ONE_CORE, "1")  # the workers inherit these variables
        here = LocalCluster(
            n_workers=getattr(options, "cores", None) or os.cpu_count(),
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=None,  # no memory limit, because all workers share the mapped tables
        )
        with here, Client(here) as client:
            yield _wrap_client(client)
        return
    try:
        client = Client(options.cluster, timeout=WAIT)
    except (OSError, ValueError) as error:
        raise BadInput(f"no cluster answers at {options.cluster}: {error}") from None
    with client:
        yield _wrap_client(client)


def _wrap_client(client: Any) -> Cluster:
    cores = sum(client.ncores().values())
    if not cores:
        raise BadInput("the cluster has no workers")
    return Cluster(client.get_executor(pure=False), cores)
