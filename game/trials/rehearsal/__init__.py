"""Rehearsals: bots take part in a trial through its pages, before people take part."""
