"""Taking part: how people come to a trial, and what they do there."""
