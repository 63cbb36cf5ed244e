"""Everything a person reads that is not in a template."""
