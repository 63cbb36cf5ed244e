"""The site: its settings, addresses and servers."""

import os

# This must be set before numpy is loaded. The matrices of a turn are small: with one thread per
# core, the threads wait for each other. On a busy machine, a hint then took 50 to 100 ms instead of
# 1 ms.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
