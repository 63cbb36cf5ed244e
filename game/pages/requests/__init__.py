"""Requests: visitors, forms, limits, audiences, pushes."""
