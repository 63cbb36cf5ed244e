"""Exported tables: their columns, the queries for their rows, and the writing of files."""
