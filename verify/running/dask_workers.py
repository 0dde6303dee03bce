"""The workers of a scheduler of Dask: how they are reached, and which are of this version."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from arith.theory.errors import Failed, InvalidInput
from arith.verify.records.notices import say
from arith.verify.running.remote import versions
from arith.verify.training.device import pick_device

if TYPE_CHECKING:
    from distributed import Client, Future

_ANSWER = 10.0
"""Seconds for the scheduler to answer."""
_PATIENCE = 600.0
"""Seconds for a scheduler that has gone away to come back."""
_LOOK = 2.0
"""Seconds between two tries to reach it."""
_LONGEST = 200
"""Characters of an error that are told."""


class DaskWorkers:
    """What a scheduler's workers are, and the way to them.

    Workers of another version than this command are refused: none of its tasks go there.

    Args:
        address: of the scheduler.
        device: ``auto`` is ``cpu``; every task for ``cuda`` asks for the resource ``GPU: 1``.

    Raises:
        InvalidInput: Dask is not installed, or no scheduler answers at the address.
    """

    def __init__(self, address: str, device: str) -> None:
        self.address = address
        self.device = "cuda" if device == "cuda" else pick_device(device.replace("auto", "cpu"))
        self.news: SimpleQueue[tuple[str, int, str]] = SimpleQueue()
        """The key of a task, the steps of its training, and the address of the worker."""
        self.threads: dict[str, int] = {}
        """The threads of each worker, by address, when they were last looked at."""
        self.refused: set[str] = set()
        self._versions, self._told = versions(), set[str]()
        if find_spec("distributed") is None:
            raise InvalidInput(
                "--cluster needs Dask, which is not installed (pip install 'arith[cluster]')"
            )
        try:
            self.client = self._connect()
            self.look()
        except Exception as error:  # Dask raises of many kinds what an address has wrong
            why = " ".join(str(error).split())[:_LONGEST] or type(error).__name__
            raise InvalidInput(f"--cluster {address}: no scheduler answers ({why})") from None

    def _connect(self) -> Client:
        """Connect to the scheduler (OSError: it does not answer).

        A client waits without end for what listens and never answers, so it is knocked before.
        """
        from distributed import Client

        asyncio.run(asyncio.wait_for(_knock(self.address), _ANSWER))
        for name in ("distributed", "distributed.client", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # it is told here in one line
        client = Client(self.address, timeout=_ANSWER, set_as_default=False)
        self._topic = f"arith-{uuid4().hex}"
        client.subscribe_topic(self._topic, lambda event: self.news.put(event[1]))
        return client

    def reconnect(self) -> None:
        """Wait for a scheduler that has gone away; it knows nothing of what it was given.

        Raises:
            Failed: it does not come back.
        """
        say(f"arith: the scheduler at {self.address} is gone; waiting for it to come back")
        with suppress(Exception):
            self.client.close(timeout=1)
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self.client = self._connect()
                break
            except OSError:
                if time.monotonic() > end:
                    raise Failed(
                        f"the scheduler at {self.address} did not come back; start again to go on"
                    ) from None
                time.sleep(_LOOK)
        say("arith: the scheduler is back")

    def __enter__(self) -> DaskWorkers:
        return self

    def __exit__(self, *error: object) -> None:
        """End the connection, and with it all that this command had asked for."""
        with suppress(Exception):  # whatever is wrong with the cluster now was told before
            self.client.close(timeout=_ANSWER)

    def precision(self, name: str) -> str:
        """Ask the workers what they are, and, if the precision is left to them, what they do well.

        Args:
            name: ``auto``, or a precision, which is returned.

        Raises:
            InvalidInput: all workers are refused, or their processors differ.
        """
        auto, ask = name == "auto", task(self._versions, self.device)
        found, others = self._answers(ask)
        if auto and not found and not others:
            say(f"arith: the cluster at {self.address} has no worker yet; waiting for one")
        while auto and not found and not others:
            # A task that waits makes an adaptive cluster grow.
            self.client.submit(ask, pure=False, **self._needs()).exception()
            found, others = self._answers(ask)
        if others and not found:
            worker, other = others.popitem()
            raise InvalidInput(
                f"--cluster {self.address}: none of its workers can train; {worker}: "
                f"{self._difference(other)}"
            )
        for worker, other in others.items():
            self.refuse(worker, other)
        counts = Counter(found.values())
        if len(counts) > 1:
            each = ", ".join(f"{counts[x]} {x}" for x in sorted(counts))
            raise InvalidInput(
                f"--cluster {self.address}: its processors differ ({each}): say which precision "
                "all are to use, as --precision float32"
            )
        return counts.popitem()[0] if auto else name

    def _answers(self, ask: Callable[[], Any]) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        """The precision of each worker of this version, and the versions of each other."""
        found, others = {}, {}
        for worker, answer in self.client.run(ask, on_error="return").items():
            if isinstance(answer, tuple):  # and no error, as of a connection
                kind, value = answer
                if kind == "refused":
                    others[worker] = value[1]
                else:
                    found[worker] = value
        return found, others

    def refuse(self, worker: str, found: dict[str, str]) -> None:
        """Give a worker nothing more; say why, if no other was refused for the same reason.

        Args:
            found: its versions; empty if it has none.
        """
        self.refused.add(worker)
        why = self._difference(found)
        if why not in self._told:
            self._told.add(why)
            say(f"arith: the worker {worker} is refused, and all like it: {why}")

    def _difference(self, found: dict[str, str]) -> str:
        """In what other versions differ from those of this command, in words."""
        other = [x for x in found if found[x] != self._versions.get(x)]
        if not other:
            return "it has no arith like this"
        there, here = (", ".join(f"{x} {v.get(x)}" for x in other) for v in (found, self._versions))
        return f"it has {there}; this command has {here}"

    @property
    def usable(self) -> list[str]:
        """The addresses of the workers that are not known to be of another version."""
        return [worker for worker in self.threads if worker not in self.refused]

    def look(self) -> bool:
        """See which workers are there; whether others than before are.

        Raises:
            OSError: the scheduler has gone away.
        """
        if self.client.status != "running":
            raise OSError(self.client.status)
        before, self.threads = self.threads, dict(self.client.nthreads())
        self.refused &= self.threads.keys()
        return before.keys() != self.threads.keys()

    def submit(self, key: str, *words: Any) -> Future[Any]:
        """Have a worker that is not refused train a model (see ``verify.running.remote``)."""
        return self.client.submit(
            task(self._versions, self.device),
            *words,
            self._topic,
            key=key,
            workers=self.usable if self.refused else None,
            pure=False,
            **self._needs(),
        )

    def _needs(self) -> dict[str, Any]:
        return {"resources": {"GPU": 1}} if self.device == "cuda" else {}

    def text(self) -> str:
        """The cluster in words, with its dashboard if it has one."""
        self.look()
        number = len(self.threads)
        words = f"{number} worker{'' if number == 1 else 's'}"
        with suppress(KeyError):
            words += f", dashboard {self.client.dashboard_link}"
        return f"the cluster at {self.address} ({words})"


async def _knock(address: str) -> None:
    """Greet a scheduler, and go."""
    from distributed.comm import connect
    from distributed.security import Security

    greeting = await connect(address, _ANSWER, **Security().get_connection_args("client"))
    greeting.abort()


def task(wanted: dict[str, str], device: str) -> Callable[..., tuple[str, Any]]:
    """What a worker is asked: to train, or without words what precision its processor does well.

    One of other versions than those wanted answers ``refused`` with its address and its own.

    A function inside a function is sent whole: neither the scheduler nor a worker that is to be
    refused need have this file.
    """

    def answer(*words: Any) -> tuple[str, Any]:
        from distributed import get_worker

        try:
            from arith.verify.running.remote import train, versions
            from arith.verify.training.device import precision_name

            found = versions()
        except ImportError:
            found = {}
        if found != wanted:
            # Asked without words it is in no task, and who asks knows whom.
            return "refused", (get_worker().address if words else "", found)
        return train(*words) if words else ("precision", precision_name(device))

    return answer
