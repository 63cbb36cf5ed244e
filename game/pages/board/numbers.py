"""Template filters for numbers, times and the coach's texts, and for rulesets with a drill."""

from django import template
from django.template.defaultfilters import stringfilter

from game.core.words import phrases, times
from game.core.words.speech import say
from game.core.worth.drilled import DRILLED

register = template.Library()
register.filter("drilled", lambda rules: rules.id in DRILLED)
register.filter("points", phrases.format_points)
register.filter("percent", phrases.format_percent)
register.filter("signed", phrases.format_signed)
register.filter("lost", phrases.format_loss)
register.filter("clock", times.render_clock)
register.filter("day", times.render_day)
register.filter("long_day", times.render_long_day)
register.filter("day_words", times.format_long_day)
register.filter("moment", times.render_moment)
register.simple_tag(say)
register.filter("unbroken", stringfilter(phrases.keep_on_one_line), is_safe=True)
