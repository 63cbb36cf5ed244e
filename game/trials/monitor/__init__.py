"""A trial that runs, as its researcher sees it."""
