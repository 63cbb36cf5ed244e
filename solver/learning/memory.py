"""Memory that is given back is soon asked for again, and every page of it comes back zeroed.

A training step frees arrays of half a megabyte by the dozen. The C library hands such pieces to the
system at once, and a third of a step's time went into getting them back.
"""

import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of mallopt(3)
MUCH = 2**25  # more than any array of a step, and the most that glibc takes for the second


def keep_freed_memory() -> bool:
    """For the rest of this process; whether its C library can (glibc)."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, MUCH)) and bool(mallopt(TRIM_THRESHOLD, 8 * MUCH))
