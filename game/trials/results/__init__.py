"""The results of a trial, and its plan for reading them."""
