"""Date formats of each language. Numbers have Django's formats."""
