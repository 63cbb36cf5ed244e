"""The results of a trial, and the plan of their analysis."""
