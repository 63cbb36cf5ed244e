"""A trial tried out before there are people: bots play it by its pages, every file is checked."""
