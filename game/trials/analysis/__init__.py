"""Figures of a trial, in numpy: no database, no words."""
