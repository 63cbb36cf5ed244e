"""Exact distributions of final scores, unfair dice, and V in whole numbers."""

LIMB = 46  # the bits of an int64 that are used; see ``limb_kernels``
