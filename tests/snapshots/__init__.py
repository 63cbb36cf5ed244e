"""Snapshots of pages, exports, values and the coach: `python -m tests.snapshots --help`."""
