"""Answers with the largest and the smallest integers, which is allowed."""

from playing import always

always('{"action":0,"values":[18446744073709551615,-9223372036854775808]}')
