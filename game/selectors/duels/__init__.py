"""Over the same dice: whose turn it is, who may see what, what the clocks say, who has won."""
