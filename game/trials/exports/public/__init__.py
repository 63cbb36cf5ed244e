"""A trial's data as anybody may have them: who took part cannot be told from them."""
