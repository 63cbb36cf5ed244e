"""Statistical tests and intervals, which are independent of Yatzy."""
