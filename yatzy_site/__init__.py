"""Settings, addresses and servers of the site."""

import os

# This must be set before numpy is loaded. The products of a turn are small: with one thread per
# core the threads wait for each other, and on a busy machine a hint took 50 to 100 ms instead of 1
# ms.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
