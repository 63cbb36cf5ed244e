"""The road of a trial: ten screens from the question to the published data."""
