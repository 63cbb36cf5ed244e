"""The coach for programs: JSON in, JSON out, in English, without cookies. docs/api.md shows how."""
