"""Answers with unknown fields, which is allowed."""

from playing import always

always('{"type":"answer","action":0,"eval":0.5,"line":[1,2],"meta":{"depth":9}}')
