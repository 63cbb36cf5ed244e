"""The coach's API: JSON in, JSON out, in English, without cookies. docs/api.md describes it."""
