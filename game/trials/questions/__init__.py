"""What participants of a trial are asked, as a researcher writes it down; no database below."""
