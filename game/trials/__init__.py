"""Trials, which study how people play: design, joining, questions, results, files, rehearsals."""
