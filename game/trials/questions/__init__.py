"""A trial's questions: the researcher's file, the kinds of questions, and participants' answers."""
