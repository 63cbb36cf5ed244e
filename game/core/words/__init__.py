"""Texts that several rooms show: labels, numbers, dates, sentences."""
