"""The road of a trial: ten screens, from the research question to the published data."""
