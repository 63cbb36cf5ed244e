"""How each language writes its dates. Numbers are written as Django does."""
