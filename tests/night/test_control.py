"""Tests of the lock and the control socket of a night."""

from __future__ import annotations

import os
import select
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.errors import NightError, StoreError
from arena.night.control import SOCKET_FILE, ControlSocket, Haste, Stop, call, night_lock


def converse(folder: Path, request: dict[str, Any], answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """What a caller gets from a night that answers so."""
    control = ControlSocket(folder)
    control.open(answer)
    heard: list[Any] = []

    def caller() -> None:
        try:
            heard.append(call(folder, request))
        except NightError as error:
            heard.append(error)

    thread = threading.Thread(target=caller)
    thread.start()
    select.select([control], [], [])
    control.serve()
    thread.join()
    control.close()
    return heard[0]


def test_a_call_is_answered(tmp_path: Path) -> None:
    """JSON in, JSON out."""
    assert converse(tmp_path, {"command": "stop"}, lambda request: {"heard": request}) == {"heard": {"command": "stop"}}


def test_a_home_may_lie_deep(tmp_path: Path) -> None:
    """The address of a socket holds about 100 bytes; the home's path may be longer."""
    folder = tmp_path / ("deep" * 30) / "run"
    folder.mkdir(parents=True)
    assert converse(folder, {}, lambda _: {"fine": True}) == {"fine": True}
    assert not (folder / SOCKET_FILE).exists()


def test_a_refusal_is_a_sentence(tmp_path: Path) -> None:
    """An answer that is an error, and one that fails, are raised where the call was made: the sentence alone."""
    refused = "'nobody' does not play in this night"
    assert str(converse(tmp_path, {}, lambda _: {"error": refused})) == refused
    failed = str(converse(tmp_path, {}, lambda request: {"x": request["missing"]}))
    assert failed == "the request cannot be read: 'missing'"


def test_the_socket_is_the_users_alone(tmp_path: Path) -> None:
    """Mode 0600 whatever the umask; what a dead process left in its place is replaced."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / SOCKET_FILE))
    before = os.umask(0)
    try:
        control = ControlSocket(tmp_path)
    finally:
        os.umask(before)
    control.open(lambda _: {})
    assert stat.S_IMODE((tmp_path / SOCKET_FILE).stat().st_mode) == 0o600
    control.serve()  # nobody has called: returns at once
    control.close()


def test_a_socket_is_found_when_it_can_answer_and_not_before(tmp_path: Path) -> None:
    """It listens before it has its name: whoever finds it at that moment is answered by the handler."""
    control = ControlSocket(tmp_path)
    with pytest.raises(NightError, match="no night is being played"):
        call(tmp_path, {})
    control.open(lambda request: {"answered": request})
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(tmp_path / SOCKET_FILE))
        caller.sendall(b'{"command": "drop"}\n')
        control.serve()
        assert caller.recv(1000) == b'{"answered": {"command": "drop"}}\n'
    control.close()
    assert list(tmp_path.iterdir()) == []


def test_nobody_there_is_said(tmp_path: Path) -> None:
    """No socket, and a socket of a dead process, are the same to the caller."""
    with pytest.raises(NightError, match="no night is being played"):
        call(tmp_path, {})
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / SOCKET_FILE))
    with pytest.raises(NightError, match="no night is being played"):
        call(tmp_path, {})


def hang_up(folder: Path, said: bytes | None, *, gone: bool) -> str:
    """What a caller is told by a night that accepts, says no more than this (None: does not even accept), and ends."""
    path = folder / SOCKET_FILE
    told: list[str] = []

    def caller() -> None:
        with pytest.raises(NightError) as refused:
            call(folder, {"command": "add", "bot": "eve"})
        told.append(str(refused.value))

    with socket.socket(socket.AF_UNIX) as night:
        night.bind(str(path))
        night.listen()
        thread = threading.Thread(target=caller)
        thread.start()
        select.select([night], [], [])
        accepted = [] if said is None else [night.accept()[0]]
        if gone:
            night.close()
            path.unlink()
        for connection in accepted:
            connection.sendall(said or b"")
            # With a request that was not read, this is a reset and not the end of a stream.
            connection.close()
        thread.join()
    return told[0]


@pytest.mark.parametrize("said", [None, b"", b'{"bot": "ev'])
def test_a_night_that_ends_before_it_answers_is_none(tmp_path: Path, said: bytes | None) -> None:
    """Whoever calls at the moment of its end is told what he would be told a moment later, and no number of an error;
    where somebody still listens, that he may try again."""
    assert hang_up(tmp_path, said, gone=True) == "no night is being played in this home at the moment"
    if said is not None:
        again = "the night that is being played closed the connection before it answered: try again"
        assert hang_up(tmp_path, said, gone=False) == again


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    """One sentence for lock and socket."""
    with pytest.raises(StoreError, match="cannot be created"), night_lock(tmp_path / "missing"):
        pass
    with pytest.raises(StoreError, match="cannot be created"):
        ControlSocket(tmp_path / "missing")


def test_the_lock_is_free_again(tmp_path: Path) -> None:
    """Held once, refused meanwhile with the holder's process id, free afterwards."""
    with (
        night_lock(tmp_path),
        pytest.raises(NightError, match=f"process {os.getpid()}: "),
        night_lock(tmp_path),
    ):
        pass
    with night_lock(tmp_path):
        pass


def test_haste_only_grows() -> None:
    """Ctrl-C twice means now; a milder wish takes nothing back; a wish can be waited for."""
    stop = Stop()
    assert select.select([stop], [], [], 0)[0] == []
    assert stop.ask(Haste.AFTER_ROUND) is Haste.AFTER_ROUND
    assert select.select([stop], [], [], 0)[0] == [stop]
    stop.acknowledge()
    assert select.select([stop], [], [], 0)[0] == []
    assert stop.ask() is Haste.AFTER_RUNNING
    assert stop.ask() is Haste.NOW
    assert stop.ask(Haste.AFTER_ROUND) is Haste.NOW
    stop.close()
