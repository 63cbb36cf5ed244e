"""Taking part in a trial: how people join a trial, and their actions in it."""
