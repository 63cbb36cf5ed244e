"""Taking part in a trial: how people join it and what they do there."""
