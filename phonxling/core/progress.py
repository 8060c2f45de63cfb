"""How a long computation tells where it is, without knowing who listens."""

from typing import Protocol


class Progress(Protocol):
    """Hears about the steps of a run."""

    def begin(self, steps: int) -> None:
        """Hear how many steps there will be."""

    def step(self, label: str) -> None:
        """Hear that a step begins."""

    def shards(self, done: int, total: int) -> None:
        """Hear that so many of the shards of a computation are done."""

    def frames(self, number: int) -> None:
        """Hear that so many more frames of posteriors were read."""

    def fetched(self, number: int) -> None:
        """Hear that so many more bytes of inputs by URL have come."""

    def say(self, message: str) -> None:
        """Hear what a user should know."""

    def detail(self, message: str) -> None:
        """Hear what only a user who asks for details wants to know."""


class Silent:
    """Hears everything and says nothing."""

    def begin(self, *_: object) -> None:
        """Ignore it."""

    step = shards = frames = fetched = say = detail = begin


class MessageRecord:
    """Hears for another, and remembers what a user should know, so that a next run can say it again."""

    def __init__(self, listener: Progress) -> None:
        self.messages: list[str] = []
        self._say = listener.say
        self.begin, self.step, self.shards = listener.begin, listener.step, listener.shards
        self.frames, self.fetched, self.detail = listener.frames, listener.fetched, listener.detail

    def say(self, message: str) -> None:
        """Pass a message on, and remember it."""
        self.messages.append(message)
        self._say(message)
