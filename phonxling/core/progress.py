"""How a long computation tells where it is, without knowing who listens."""

from typing import Protocol


class Progress(Protocol):
    """Hears about the steps of a run."""

    def begin(self, steps: int) -> None:
        """Hear how many steps there will be."""

    def frames(self, number: int) -> None:
        """Hear that so many more frames of posteriors were read."""

    def shards(self, done: int, total: int) -> None:
        """Hear that so many of the shards of a computation are done."""

    def fetched(self, number: int) -> None:
        """Hear that so many more bytes of inputs by URL have come."""

    def step(self, label: str) -> None:
        """Hear that a step begins."""

    def say(self, message: str) -> None:
        """Hear what a user should know."""

    def detail(self, message: str) -> None:
        """Hear what only a user who asks for details wants to know."""


class Silent:
    """Hears everything and says nothing."""

    def begin(self, steps: int) -> None:
        """Ignore it."""

    def frames(self, number: int) -> None:
        """Ignore it."""

    def shards(self, done: int, total: int) -> None:
        """Ignore it."""

    def fetched(self, number: int) -> None:
        """Ignore it."""

    def step(self, label: str) -> None:
        """Ignore it."""

    def say(self, message: str) -> None:
        """Ignore it."""

    def detail(self, message: str) -> None:
        """Ignore it."""


class Told:
    """Hears for another, and remembers what a user should know, so that it can be said again."""

    def __init__(self, listener: Progress) -> None:
        self._listener = listener
        self.messages: list[str] = []

    def begin(self, steps: int) -> None:
        """Pass it on."""
        self._listener.begin(steps)

    def frames(self, number: int) -> None:
        """Pass it on."""
        self._listener.frames(number)

    def fetched(self, number: int) -> None:
        """Pass it on."""
        self._listener.fetched(number)

    def shards(self, done: int, total: int) -> None:
        """Pass it on."""
        self._listener.shards(done, total)

    def step(self, label: str) -> None:
        """Pass it on."""
        self._listener.step(label)

    def say(self, message: str) -> None:
        """Pass it on, and remember it."""
        self.messages.append(message)
        self._listener.say(message)

    def detail(self, message: str) -> None:
        """Pass it on."""
        self._listener.detail(message)
