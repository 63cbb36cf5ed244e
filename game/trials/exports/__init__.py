"""The tables of a trial, as files with a codebook."""
