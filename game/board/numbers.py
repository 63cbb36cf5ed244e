"""Numbers of points in templates, as ``game.words.phrases`` prints them."""

from django import template
from django.template.defaultfilters import stringfilter

from game.words import phrases

register = template.Library()

register.filter("points", phrases.points)
register.filter("signed", phrases.signed)
register.filter("lost", phrases.lost)
register.filter("unbroken", stringfilter(phrases.unbroken), is_safe=True)
