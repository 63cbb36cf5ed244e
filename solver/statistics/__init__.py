"""Statistical tests and intervals that know nothing about Yatzy."""
