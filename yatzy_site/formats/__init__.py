"""Date formats of each language. Numbers are written as Django does."""
