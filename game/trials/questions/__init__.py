"""A trial's questions: the researcher's file, the kinds of questions, and the answers."""
