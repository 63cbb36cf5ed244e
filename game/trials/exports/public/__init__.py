"""The public export of a trial, which does not reveal who took part in the trial."""
