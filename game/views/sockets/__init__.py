"""Sockets: what changes elsewhere is shown on the pages that look at it."""
