"""Experiments with strategies, and the published data that they are compared with."""
