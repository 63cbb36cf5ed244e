"""The staff of a trial: owners invite others and give roles."""
