"""Template filters for numbers, times, the coach's texts, and rulesets with a drill."""

from django import template
from django.template.defaultfilters import stringfilter

from game.core.words import phrases, times
from game.core.words.speech import say
from game.core.worth.drilled import DRILLED

register = template.Library()

register.filter("drilled", lambda rules: rules.id in DRILLED)
register.filter("points", phrases.points)
register.filter("signed", phrases.signed)
register.filter("lost", phrases.lost)
register.filter("clock", times.clock)
register.filter("day", times.day)
register.filter("long_day", times.long_day)
register.filter("day_words", times.day_words)
register.filter("moment", times.moment)
register.simple_tag(say)
register.filter("unbroken", stringfilter(phrases.unbroken), is_safe=True)
