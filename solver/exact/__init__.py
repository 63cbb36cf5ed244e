"""Every final score of a way of playing, without a game; unfair dice; V in whole numbers."""

LIMB = 46  # bits of an int64 that whole numbers use; see ``limb_kernels``
