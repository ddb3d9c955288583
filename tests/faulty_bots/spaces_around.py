"""Puts spaces wherever JSON allows them."""

from playing import always

always(' \t { "action" : 0 } \t ')
