"""Exported tables: their columns, and the writers of files."""
