"""Answers with numbers near the largest double, which is allowed."""

from playing import always

always('{"action":0,"values":[1.7e308,-1.7e308,1e-999]}')
