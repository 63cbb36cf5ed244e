"""What every request needs: its visitor, forms, limits, audience, readiness and errors."""
