"""The statistics of a trial, calculated with numpy and without the database."""
