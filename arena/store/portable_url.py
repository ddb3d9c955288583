"""Portable database URLs: for a program that runs in another folder, and for files that other users may read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL

from arena.store.connection import find_url


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A URL that means the same database in every folder of this host, and contains no password."""

    url: str
    password_line: str | None
    """Line that `~/.pgpass` needs for the omitted password, with the placeholder `PASSWORD`; None if there is none."""


def hand_on(location: str, folder: Path) -> HandedOn:
    """Return the portable form of a database URL that was read in `folder`. Raises `StoreError` for an invalid URL.

    >>> hand_on("sqlite:///night.db", Path("/srv/league")).url
    'sqlite:////srv/league/night.db'
    >>> handed = hand_on("postgresql+psycopg://me:secret@host/arena?sslmode=require", Path("/"))
    >>> handed.url, handed.password_line
    ('postgresql+psycopg://me@host/arena?sslmode=require', 'host:*:arena:me:PASSWORD')
    """
    url = find_url(location)
    if url.get_backend_name() == "sqlite":
        return HandedOn(_absolute(url, folder, location), None)
    if not url.password and "password" not in url.query:
        return HandedOn(location, None)
    query = {key: value for key, value in url.query.items() if key != "password"}
    bare = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)
    # A host in the query has priority. It may be a folder of sockets, or a list, and has other names in `~/.pgpass`.
    host, port = (None, None) if "host" in query else (url.host, url.port)
    fields = ["*" if field is None else str(field) for field in (host, port, url.database, url.username)]
    escaped = [field.replace("\\", "\\\\").replace(":", "\\:") for field in fields]
    return HandedOn(bare.render_as_string(hide_password=False), ":".join([*escaped, "PASSWORD"]))


def _absolute(url: URL, folder: Path, location: str) -> str:
    name = url.database or ""
    scheme = "file:" if name.startswith("file:") else ""
    file = name.removeprefix(scheme)
    if not file or file == ":memory:" or url.query.get("mode") == "memory":
        return location
    return url.set(database=f"{scheme}{folder.absolute() / file}").render_as_string(hide_password=False)
