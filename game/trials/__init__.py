"""Trials: studies of how people play. The packages design, run, analyse and export a trial."""
