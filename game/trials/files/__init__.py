"""Exported tables: their columns, the queries for their rows, and the writers of files."""
