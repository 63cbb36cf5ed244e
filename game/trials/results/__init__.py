"""The results of a trial and its plan of analysis."""
