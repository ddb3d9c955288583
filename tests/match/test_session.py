"""Tests of one bot in a match: every kind of failure has its cause, and time is charged by the rules."""

from __future__ import annotations

import json
import os
import select
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaFault
from arena.linux.proc import clock_of
from arena.match.session import Session, TurnResult, wait_for_handshakes
from arena.model.causes import Cause
from arena.model.clock import MARGIN_S
from arena.model.faults import BotFault
from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.protocol.messages import LINE_BYTES, Answer, Decline, Ready
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport.base import EndCause
from arena.transport.command import EXEC_FAILED
from arena.transport.process import BotProcess
from tests.support.scripted import Bot, FakeClock, Reply, Said, ScriptedChecks, ScriptedTransport

PROGRAM = Program("bot", 1, "nobody", "d1" * 16, "/nowhere", ("true",))
HELLO = b'{"type":"hello"}\n'
START = b'{"type":"start"}\n'
LIMIT_S = 0.5


def the_rules(**changes: Any) -> LeagueRules:
    return LeagueRules(**{"name": "x", "game": "tiny", **changes})


def ready_then(*replies: Reply, ready: Reply = None) -> Bot:
    """A bot that says ready, and answers its turns with these, one after another, then with its turn's number."""
    left = list(replies)

    def bot(message: dict[str, Any]) -> Reply:
        if message["type"] == "hello":
            return ready or {"type": "ready"}
        if message["type"] == "turn":
            return left.pop(0) if left else {"action": message["turn"]}
        return None

    return bot


def seated(bot: Bot, **rules: Any) -> Session:
    """A session with a scripted bot that has been sent hello."""
    transport = ScriptedTransport(bot, FakeClock(1000.0))
    session = Session(PROGRAM, transport, the_rules(**rules))
    transport.send(HELLO)
    return session


def table(*replies: Reply, **rules: Any) -> Session:
    """The same, greeted and started."""
    session = seated(ready_then(*replies), **rules)
    session.greet()
    session.start(START)
    return session


def script(session: Session) -> ScriptedTransport:
    assert isinstance(session.transport, ScriptedTransport)
    return session.transport


def ask(session: Session, turn: int = 0, limit_s: float = LIMIT_S, **how: Any) -> TurnResult:
    return session.ask(b'{"type":"turn","turn":%d}\n' % turn, turn=turn, limit_s=limit_s, **how)


def fault_of(session: Session, **how: Any) -> BotFault:
    with pytest.raises(BotFault) as caught:
        ask(session, **how)
    return caught.value


# Handshake


def test_a_greeting_is_heard_once() -> None:
    """The same answer again when asked again, and then the bot is frozen."""
    session = seated(ready_then(ready={"type": "ready", "reuse": True}))
    assert session.greet() == session.greet() == Ready(reuse=True)
    assert script(session).log == ["freeze"]


def test_a_bot_may_decline() -> None:
    """That is an answer, not a fault; what it means at a table is for the referee."""
    assert seated(lambda message: {"type": "decline"}).greet() == Decline()


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (None, Cause.STARTUP_LATE),
        ([Said(b'{"type":"ready"}\n', after_s=10.5)], Cause.STARTUP_LATE),
        (b"hello\n", Cause.NO_HANDSHAKE),
        ([Said(b"", then="exit")], Cause.CRASHED),
        ([Said(b'{"type":"ready"}', then="exit")], Cause.CRASHED),
        ([Said(b"", then="close")], Cause.CLOSED_OUTPUT),
        (b"x" * (LINE_BYTES + 1), Cause.OUTPUT_FLOOD),
    ],
)
def test_a_greeting_that_fails_keeps_its_cause(reply: Reply, cause: Cause) -> None:
    """Each failure at start-up has its cause, told again when asked again."""
    session = seated(lambda message: reply)
    for _ in range(2):
        with pytest.raises(BotFault) as caught:
            session.greet()
        assert caught.value.cause is cause


def test_hearing_all_hears_scripted_bots_too() -> None:
    """A table of bots without processes is heard by `greet` as ever."""
    sessions = [seated(ready_then()) for _ in range(3)]
    wait_for_handshakes(sessions)
    assert [session.greet() for session in sessions] == [Ready()] * 3


def killed_at_start(*greetings: Reply) -> tuple[Session, list[ScriptedTransport]]:
    """A session whose processes do this when they hear hello, one after another; all end as if killed, if they end."""
    started: list[ScriptedTransport] = []
    left = [*greetings, {"type": "ready"}]
    clock = FakeClock(1000.0)

    def start() -> ScriptedTransport:
        transport = ScriptedTransport(lambda message: left.pop(0) if message["type"] == "hello" else None, clock)
        transport.exit_status = -signal.SIGKILL
        transport.send(HELLO)
        started.append(transport)
        return transport

    return Session(PROGRAM, start(), the_rules(), start), started


@pytest.mark.parametrize("last_words", [b"", b'{"type":"ready"}', b'{"type":"ready"}\n'])
def test_a_bot_that_is_killed_while_it_starts_is_started_again(last_words: bytes) -> None:
    """It has heard nothing but hello; nobody loses by it, and what it was is gone."""
    session, started = killed_at_start([Said(last_words, then="exit")])
    wait_for_handshakes([session])
    assert session.greet() == Ready()
    assert len(started) == 2
    assert started[0].log[-1] == "close"
    assert session.transport is started[1]


def test_a_bot_is_started_again_only_once() -> None:
    """One that kills itself, or exits with that number, has crashed at its second start."""
    session, started = killed_at_start(*[[Said(b"", then="exit")]] * 3)
    with pytest.raises(BotFault) as caught:
        session.greet()
    assert caught.value.cause is Cause.CRASHED
    assert len(started) == 2


def test_where_a_bot_may_start_only_once_its_death_is_a_crash(program: Program) -> None:
    """A check has so much time and no more, and nobody kills there."""
    session = Session.launch(
        replace(program, command=("sh", "-c", "exit 137")), HELLO, the_rules(), probe("off"), once=True
    )
    first = session.transport
    with pytest.raises(BotFault) as caught:
        session.greet()
    assert caught.value.cause is Cause.CRASHED
    assert session.transport is first


def test_only_who_was_killed_is_started_again() -> None:
    """A crash of its own is judged at once, and so is what is no crash."""
    for status, reply, cause in (
        (1, [Said(b"", then="exit")], Cause.CRASHED),
        (-signal.SIGKILL, b"good evening\n", Cause.NO_HANDSHAKE),
    ):
        session, started = killed_at_start(reply)
        started[0].exit_status = status
        with pytest.raises(BotFault) as caught:
            session.greet()
        assert caught.value.cause is cause
        assert len(started) == 1


# Turns


def test_a_turn_is_answered_and_timed() -> None:
    """Thawed before, frozen after, charged from the message to the answer."""
    session = table([Said(b'{"action":2}\n', after_s=0.2, cpu_s=0.1)])
    script(session).log.clear()
    heard = ask(session)
    assert heard.answer == Answer(2)
    assert heard.times.wall_s == pytest.approx(0.2)
    assert heard.times.charged_s == pytest.approx(0.2)
    assert heard.times.cpu_s == pytest.approx(0.1)
    assert script(session).log == ["thaw", "freeze"]


def test_the_wait_for_a_bot_to_stand_still_is_no_part_of_its_turn() -> None:
    """Its counts are read before that wait; and the wait is over before anybody else is on turn, however it ended."""

    transport = ScriptedTransport(ready_then([Said(b'{"action":2}\n', after_s=0.2)], None), FakeClock(1000.0))

    class SlowChecks(ScriptedChecks):
        def run(self) -> None:
            super().run()
            counted = transport.counters
            counted.excused_s, counted.cpu_s = counted.excused_s + 1.0, counted.cpu_s + 1.0
            transport.time.now_s += 1.0

    transport.checks = SlowChecks(transport.log)
    transport.checks.due = 0.0
    session = Session(PROGRAM, transport, the_rules())
    transport.send(HELLO)
    session.greet()
    times = ask(session).times
    assert times.wall_s == pytest.approx(0.2)
    assert (times.excused_s, times.cpu_s) == (0.0, 0.0)
    assert fault_of(session, turn=1).cause is Cause.TURN_LATE
    assert transport.log == ["freeze", "check", "thaw", "freeze", "check", "thaw", "freeze", "check"]


def test_what_a_bot_computes_after_its_answer_is_charged_to_its_next_turn() -> None:
    """Once, and where it is more than the limit, the bot is late."""
    session = table([Said(b'{"action":2}\n', after_s=0.2)])
    script(session).checks.used_s = 0.25
    assert ask(session).times.charged_s == pytest.approx(0.45)
    assert ask(session, turn=1).times.charged_s == pytest.approx(0.0, abs=0.01)
    script(session).checks.used_s = 2 * LIMIT_S
    fault = fault_of(session, turn=2)
    assert fault.cause is Cause.TURN_LATE
    assert fault.times is not None
    assert fault.times.charged_s == pytest.approx(2 * LIMIT_S, abs=0.01)


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (None, Cause.TURN_LATE),
        ([Said(b'{"action":0}\n', after_s=LIMIT_S + 2 * MARGIN_S)], Cause.TURN_LATE),
        ([Said(b'{"action":0}', after_s=0.1), Said(b"\n", after_s=2.0)], Cause.TURN_LATE),
        (b"I pass\n", Cause.MALFORMED),
        (b"\n", Cause.MALFORMED),
        ({"action": 0, "turn": 4}, Cause.STALE_TURN),
        ([Said(b"", then="exit")], Cause.CRASHED),
        ([Said(b'{"action":0}', then="exit")], Cause.CRASHED),
        ([Said(b"", then="close")], Cause.CLOSED_OUTPUT),
        (b"x" * (LINE_BYTES + 1), Cause.OUTPUT_FLOOD),
        (b"x" * (LINE_BYTES + 1) + b"\n", Cause.OUTPUT_FLOOD),
        (b" " * (LINE_BYTES - 11) + b'{"action":0}\n', Cause.OUTPUT_FLOOD),
    ],
)
def test_a_turn_that_fails_has_its_cause_and_times(reply: Reply, cause: Cause) -> None:
    """Each failure on turn is a fault with its cause, one line of detail, and what the turn took."""
    fault = fault_of(table(reply))
    assert fault.cause is cause
    assert fault.detail.isprintable()
    assert fault.times is not None


def test_the_longest_line_is_no_flood() -> None:
    """A line of exactly the limit counts."""
    assert ask(table(b" " * (LINE_BYTES - 12) + b'{"action":0}\n')).answer == Answer(0)


def test_the_referee_names_the_cause_of_a_late_answer() -> None:
    """Whether the turn or the clock ran out is known to whoever keeps the clock."""
    assert fault_of(table(None), late=Cause.CLOCK_EXHAUSTED).cause is Cause.CLOCK_EXHAUSTED


def test_a_late_bot_that_closed_its_output_is_told_so() -> None:
    """Where a sandbox hides the end of the pipe, the deadline finds the closed output."""
    session = table(None)
    script(session).output_closed = True
    assert fault_of(session).cause is Cause.CLOSED_OUTPUT


def test_an_answer_within_the_margin_is_in_time() -> None:
    """The margin is grace for the noise of measuring."""
    session = table([Said(b'{"action":0}\n', after_s=LIMIT_S + MARGIN_S / 2)])
    assert ask(session).answer == Answer(0)


def test_output_before_a_turn_is_unasked() -> None:
    """A second answer in one breath is found before the next turn is sent, and quoted."""
    session = table(b'{"action":0}\n{"action":1}\n')
    ask(session)
    fault = fault_of(session, turn=1)
    assert fault.cause is Cause.UNASKED_OUTPUT
    assert '{"action":1}' in fault.detail
    assert [message["type"] for message in script(session).sent] == ["hello", "start", "turn"]


def test_an_answer_without_a_list_must_be_an_object() -> None:
    """What the bot asked for in its greeting holds for its answers."""
    session = seated(ready_then({"action": 0}, ready={"type": "ready", "legal": "none"}))
    session.greet()
    assert fault_of(session).cause is Cause.MALFORMED


# Time


def test_waiting_for_the_core_is_excused() -> None:
    """Others held the core for most of the time: the deadline moves, and only the rest is charged."""
    session = table([Said(b"", after_s=0.4, excused_s=0.4), Said(b'{"action":0}\n', after_s=0.4)])
    times = ask(session).times
    assert times.wall_s == pytest.approx(0.8)
    assert times.charged_s == pytest.approx(0.4)


def test_processor_time_over_the_limit_is_late_at_once() -> None:
    """No evidence excuses what the bot used itself."""
    session = table([Said(b"", after_s=0.4, excused_s=9.0, cpu_s=0.6), Said(b'{"action":0}\n', after_s=0.4)])
    fault = fault_of(session)
    assert fault.cause is Cause.TURN_LATE
    assert script(session).time.now_s == pytest.approx(1000.0 + 0.001 + LIMIT_S + MARGIN_S)


def test_no_evidence_moves_the_deadline_for_ever() -> None:
    """Three times the limit and a second more is the end, whatever the host says."""
    session = table([Said(b"", after_s=0.1, excused_s=60.0)])
    assert fault_of(session).cause is Cause.TURN_LATE
    assert script(session).time.now_s == pytest.approx(1000.0 + 0.001 + 3 * LIMIT_S + 1.0)


def test_an_arena_that_slept_blames_nobody() -> None:
    """A wait that comes back over a second late makes the match void."""
    session = table([Said(b'{"action":0}\n', after_s=LIMIT_S, late_wake_s=1.2)])
    with pytest.raises(ArenaFault, match="not running"):
        ask(session)


def test_a_bot_greeted_after_a_slow_neighbour_blames_nobody() -> None:
    """That its own deadline has passed meanwhile is no sleep of the arena's."""
    session = seated(ready_then())
    script(session).time.now_s += 60.0
    assert session.greet() == Ready()


# Strikes


def test_a_late_answer_within_the_window_is_dropped() -> None:
    """It is read to its newline and costs a strike, not the match; the next turn is a fresh one."""
    session = table([Said(b'{"action":0,"turn":0}\n', after_s=LIMIT_S + 0.3)], {"action": 5, "turn": 1}, strikes=2)
    late = ask(session, strike_window_s=1.0)
    assert late.answer is None
    assert late.times.charged_s == pytest.approx(LIMIT_S + 0.3)
    assert ask(session, turn=1, strike_window_s=1.0).answer == Answer(5, 1)


def test_a_window_ends() -> None:
    """Silence beyond limit, margin and window is a forfeit after all."""
    assert fault_of(table(None, strikes=2), strike_window_s=1.0).cause is Cause.TURN_LATE


def test_with_strikes_an_answer_names_its_turn() -> None:
    """In a league of strikes every answer must carry `turn`, with the last strike gone too."""
    assert fault_of(table({"action": 0}, strikes=1), strike_window_s=0.0).cause is Cause.MALFORMED


# Verdicts on a dead process


@pytest.mark.parametrize(
    ("stderr", "status", "counted", "cause"),
    [
        (b"Traceback\nKeyError: 'x'\n", 1, False, Cause.CRASHED),
        (b"Traceback\nMemoryError\n", 1, False, Cause.OUT_OF_MEMORY),
        (b"terminate called: std::bad_alloc\n", 134, False, Cause.OUT_OF_MEMORY),
        (b"", 137, True, Cause.OUT_OF_MEMORY),
        (b"", 137, False, Cause.CRASHED),
        (b"RuntimeError: can't start new thread\n", 1, False, Cause.TOO_MANY_PROCESSES),
        (b"sh: 1: Cannot fork\n", 2, False, Cause.TOO_MANY_PROCESSES),
        (b"MemoryError\n", 0, False, Cause.CRASHED),
    ],
)
def test_a_dead_process_is_told_by_what_it_left(stderr: bytes, status: int, counted: bool, cause: Cause) -> None:
    """The host's count or the last words tell a limit from a plain crash; the last line is quoted."""
    session = table([Said(b"", then="exit")])
    transport = script(session)
    transport.stderr, transport.exit_status = stderr, status
    transport.cause = EndCause.OUT_OF_MEMORY if counted else EndCause.EXITED
    fault = fault_of(session)
    assert fault.cause is cause
    assert str(status) in fault.detail
    assert stderr.decode().strip().rpartition("\n")[2] in fault.detail


def test_a_bot_that_others_killed_loses_nothing_by_it() -> None:
    """Proven to be no doing of its own, its death voids the match."""
    session = table([Said(b"", then="exit")])
    script(session).exit_status, script(session).cause = 137, EndCause.KILLED_FROM_OUTSIDE
    with pytest.raises(ArenaFault, match="somebody killed"):
        ask(session)


# Messages without an answer


def test_start_and_end_leave_the_bot_frozen() -> None:
    """Work on them counts on the bot's own turn, or not at all."""
    session = table()
    session.end(b'{"type":"end"}\n')
    assert script(session).log == ["freeze"]
    assert [message["type"] for message in script(session).sent] == ["hello", "start", "end"]


@pytest.mark.parametrize(
    ("replies", "reuse", "fit"),
    [
        (({"action": 0},), True, True),
        (({"action": 0},), False, False),
        ((b'{"action":0}\n!',), True, False),
        (([Said(b'{"action":0}\n', then="exit")],), True, False),
    ],
)
def test_only_a_silent_living_bot_is_kept(replies: tuple[Reply, ...], reuse: bool, fit: bool) -> None:
    """A bot may be kept if it offered that, said nothing more, and lives."""
    session = seated(ready_then(*replies, ready={"type": "ready", "reuse": reuse}))
    session.greet()
    ask(session)
    assert session.fit_for_another() is fit


# Real processes: few and quick

BOT = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sys.stderr.write("e" * 300_000 if "loud" in sys.argv else "")
        print(json.dumps({"type": "ready", "reuse": True}), flush=True)
    elif message["type"] == "turn":
        if message["turn"] == 1:
            time.sleep(60)
        print(json.dumps({"action": message["turn"]}), flush=True)
"""


@pytest.fixture(scope="module", params=["auto", "off"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """As confined as this host allows, and not at all."""
    return probe(request.param)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """A bot that sleeps on its turn 1."""
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o755)
    (folder / "bot.py").write_text(BOT)
    yield Program("bot", 1, "nobody", "d1" * 16, str(folder), ("python3", "-I", "bot.py"))


def test_a_real_bot_plays_and_leaves(program: Program, sandbox: Sandbox) -> None:
    """Handshake, a turn with evidence, and a polite end within its second; nothing of it survives."""
    session = Session.launch(program, HELLO, the_rules(), sandbox)
    try:
        assert session.greet() == Ready(reuse=True)
        session.start(START)
        heard = ask(session)
        assert heard.answer == Answer(0)
        assert heard.times.cpu_s > 0
        assert heard.times.charged_s < LIMIT_S
        assert heard.times.evidence in {"pressure", "schedstat"}
        assert session.fit_for_another()
    finally:
        end = session.close(polite=True)
    assert (end.exit_status, end.survivors, end.stderr) == (0, 0, b"")
    assert session.close(polite=False) is end


def test_a_real_bot_that_hangs_is_late(program: Program, sandbox: Sandbox) -> None:
    """The verdict comes right after limit and margin, and the process is gone after the close."""
    session = Session.launch(program, HELLO, the_rules(), sandbox)
    try:
        session.greet()
        fault = fault_of(session, turn=1, limit_s=0.05)
        assert fault.cause is Cause.TURN_LATE
        assert fault.times is not None
        assert 0.05 < fault.times.wall_s < 1.2
    finally:
        end = session.close(polite=False)
    assert end.survivors == 0


def test_a_real_bot_that_is_killed_while_it_starts_plays(program: Program, sandbox: Sandbox) -> None:
    """Killed before it has greeted, and before it was frozen if it has: its second process takes its place."""
    for greeted in (False, True):
        session = Session.launch(program, HELLO, the_rules(), sandbox)
        first = session.transport
        assert isinstance(first, BotProcess)
        pid = first._first.find()
        # Before that the sandbox has not run it yet, and the match is void.
        deadline = time.monotonic() + 10
        while not (first.waiting() if greeted else Path(f"/proc/{pid}/comm").read_text() == "python3\n"):
            assert time.monotonic() < deadline
        dead = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        assert select.select([dead], [], [], 10)[0]
        os.close(dead)
        assert session.greet() == Ready(reuse=True)
        assert session.transport is not first
        assert ask(session).answer is not None
        session.close(polite=True)


def test_a_host_that_cannot_run_a_bot_is_at_fault(program: Program, sandbox: Sandbox) -> None:
    """Its interpreter is not there any more, cannot be executed, or no file of the bot is: the bot does not lose."""
    for command in (("no-such-interpreter", "bot.py"), ("/dev/null", "bot.py"), ("./bot",)):
        session = Session.launch(replace(program, command=command), HELLO, the_rules(), sandbox)
        with pytest.raises(ArenaFault, match=f"this host cannot run bot:1: {command[0]} is missing"):
            session.greet()
        assert session.close(polite=False).survivors == 0


def test_a_broken_interpreter_is_found_by_running_it_alone(program: Program) -> None:
    """As where one of its libraries is missing: it has permission to run, and ends with 127."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # for the user that bots run under
        broken = Path(folder, "interpreter")
        broken.write_text("#!/bin/sh\necho 'error while loading shared libraries' >&2\nexit 127\n")
        broken.chmod(0o755)
        session = Session.launch(replace(program, command=(str(broken), "bot.py")), HELLO, the_rules(), probe("off"))
        with pytest.raises(ArenaFault, match="cannot be executed: error while loading shared libraries"):
            session.greet()


@pytest.mark.parametrize("status", EXEC_FAILED)
def test_a_bot_cannot_pretend_that_the_host_is_at_fault(program: Program, sandbox: Sandbox, status: int) -> None:
    """It exits as if it could not be executed, with the words of the sandbox's tools."""
    code = f"import os, sys; print('prlimit: failed to execute python3', file=sys.stderr); os._exit({status})"
    for command in (("python3", "-I", "-c", code), ("sh", "-c", f"exit {status}"), ("./own",)):
        own = Path(program.folder, "own")
        own.write_text(f"#!/bin/sh\nexit {status}\n")
        own.chmod(0o755)
        session = Session.launch(replace(program, command=command), HELLO, the_rules(), sandbox)
        with pytest.raises(BotFault) as caught:
            session.greet()
        assert caught.value.cause is Cause.CRASHED


def test_all_are_heard_at_once(program: Program, sandbox: Sandbox) -> None:
    """A bot that fills stderr while a silent one is waited for is not stuck, and each is judged by its own limit."""
    loud = Program("loud", 1, "nobody", "d2" * 16, program.folder, (*program.command, "loud"))
    silent = Program("silent", 1, "nobody", "d3" * 16, program.folder, ("sleep", "60"))
    gone = Program("gone", 1, "nobody", "d4" * 16, program.folder, ("false",))
    sessions = [
        Session.launch(each, HELLO, the_rules(startup_s=startup_s), sandbox)
        for each, startup_s in ((silent, 0.4), (loud, 10.0), (gone, 10.0))
    ]
    try:
        wait_for_handshakes(sessions)
        outcomes: list[object] = []
        for session in sessions:
            try:
                outcomes.append(session.greet())
            except BotFault as fault:
                outcomes.append(fault.cause)
        assert outcomes == [Cause.STARTUP_LATE, Ready(reuse=True), Cause.CRASHED]
    finally:
        ends = [session.close(polite=False) for session in sessions]
    assert len(ends[1].stderr) < 70_000
    assert all(end.survivors == 0 for end in ends)


def test_no_bot_is_late_for_the_start_of_its_neighbours(program: Program, sandbox: Sandbox) -> None:
    """Each needs less than the limit; together, on one core, they need more; and who is late is stopped."""
    code = (
        'import time\nwhile time.process_time() < 0.3: pass\ninput(); print(\'{"type":"ready"}\', flush=True); input()'
    )
    slow = Program("slow", 1, "nobody", "d5" * 16, program.folder, ("python3", "-I", "-c", code))
    busy = replace(slow, name="busy", command=("python3", "-I", "-c", "while True: pass"))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    sessions = [Session.launch(each, HELLO, the_rules(startup_s=0.6), sandbox) for each in (busy, slow, slow, slow)]
    try:
        wait_for_handshakes(sessions)
        with pytest.raises(BotFault) as caught:
            sessions[0].greet()
        assert caught.value.cause is Cause.STARTUP_LATE
        assert [session.greet() for session in sessions[1:]] == [Ready()] * 3
        used = cpu_of_started(sessions[0])
        begun = time.process_time()
        while time.process_time() < begun + 0.05:  # on the same core: it would get as much, if it ran
            pass
        assert cpu_of_started(sessions[0]) < used + 0.01, "who is late is stopped at once"
    finally:
        os.sched_setaffinity(0, cores)
        for session in sessions:
            session.close(polite=False)


def cpu_of_started(session: Session) -> float:
    """Processor time of a real bot."""
    assert isinstance(session.transport, BotProcess)
    return time.clock_gettime(clock_of(session.transport._first.pid))


def test_what_a_bot_reads_is_what_was_sent() -> None:
    """The scripted bot of these tests hears messages as JSON, in order."""
    session = table()
    assert script(session).sent == [json.loads(HELLO), json.loads(START)]


@pytest.mark.parametrize("greets", [True, False])
def test_a_bot_that_dies_at_its_start_and_leaves_what_cannot_be_ended_has_crashed(greets: bool) -> None:
    """It is not started a second time beside its own remains, and the match is not void."""
    dying = Said(b'{"type":"ready"}\n' if greets else b"", then="exit")
    transport = ScriptedTransport(lambda _message: dying, FakeClock(1000.0))
    transport.exit_status, transport.survivors = -signal.SIGKILL, 1
    again: list[object] = []
    session = Session(PROGRAM, transport, the_rules(), lambda: again.append(None) or transport)  # type: ignore[func-returns-value]
    transport.send(HELLO)
    with pytest.raises(BotFault) as fault:
        session.greet()
    assert fault.value.cause is Cause.CRASHED
    assert again == []
    assert session.close(polite=False).survivors == 1


def test_a_bot_that_kept_the_core_from_the_arena_is_late_itself() -> None:
    """Kernel work that nothing interrupts does not void the match: the time that it used was more than it had."""
    session = table([Said(b'{"action":0}\n', after_s=LIMIT_S, late_wake_s=1.2, cpu_s=1.6)])
    with pytest.raises(BotFault) as fault:
        ask(session)
    assert fault.value.cause is Cause.TURN_LATE
