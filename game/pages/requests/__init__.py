"""Requests: visitors, forms, limits, audiences, readiness, errors."""
