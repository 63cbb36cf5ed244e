"""Settings, addresses and servers of the site."""

import os

# Said before numpy is loaded. A turn's products are small: with a thread per core the threads wait
# for each other, and on a machine with other work a hint took 50 to 100 ms instead of one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
