"""People by the hundred, on a real server: ``make load``."""
