#!/bin/sh
# Ends in the middle of its ready message.
printf '{"type":"ready"}'
