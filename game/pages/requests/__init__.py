"""Code that every request needs: its visitor, its form, limits, access, readiness, errors."""
