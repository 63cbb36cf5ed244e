"""The questions of a trial, as a researcher writes them; no database here."""
