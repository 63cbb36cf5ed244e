"""A trial's data in a form that anyone may have: it does not reveal who took part."""
