"""What a trial's figures are made of, in numpy: no database, no words."""
