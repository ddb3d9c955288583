"""Text for people: words, aligned tables, pictures, and nothing from outside that could control a reader. Pure."""
