"""Text for human readers: words, tables, pictures, and the escaping of untrusted text. Pure."""
