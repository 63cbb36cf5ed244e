"""The date formats of each language. Numbers have the formats that Django provides."""
