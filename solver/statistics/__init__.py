"""Inference that knows no Yatzy."""
