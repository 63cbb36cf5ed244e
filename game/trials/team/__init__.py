"""Who of the staff runs a trial: owners invite, and give roles."""
