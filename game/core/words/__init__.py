"""Texts that several packages show: labels, numbers, dates, sentences."""
