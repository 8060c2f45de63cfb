"""espeak-ng through ctypes: text in, samples and the synthesiser's own events out."""

import ctypes
from dataclasses import dataclass

import espeakng_loader
import numpy as np
from numpy.typing import NDArray

# Numbers of espeak-ng's public header, speak_lib.h (version 1.52).
_SYNCHRONOUS = 2
_PHONEME_EVENTS_IN_IPA = 0b11
_UTF8_WITH_PHONEME_INPUT = 0x1 | 0x100
_EVENT_END, _EVENT_WORD, _EVENT_PHONEME = 0, 1, 7
_RATE, _PITCH, _PITCH_RANGE = 1, 3, 4


class _EventId(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@dataclass(frozen=True)
class Event:
    """A phone that starts at a sample, in IPA; "" is a pause or an unnamed joint, None the start of a word."""

    sample: int
    phone: str | None


@dataclass(frozen=True)
class Rendering:
    """What the synthesiser gave for one text: samples in 16 bits, samples per second, and events in time order."""

    samples: NDArray[np.int16]
    rate: int
    events: tuple[Event, ...]


class Synthesiser:
    """The espeak-ng library, of which a process has one."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = espeakng_loader.get_data_path().encode()
        self.rate: int = self._library.espeak_Initialize(_SYNCHRONOUS, 0, data, _PHONEME_EVENTS_IN_IPA)
        if self.rate <= 0:
            raise RuntimeError(f"espeak-ng did not start: espeak_Initialize returned {self.rate}")
        self._library.espeak_ng_SetRandSeed(ctypes.c_long(1))
        self._chunks: list[NDArray[np.int16]] = []
        self._events: list[Event] = []
        self._callback = _Callback(self._receive)  # kept, since the library holds only its address
        self._library.espeak_SetSynthCallback(self._callback)

    def render(self, text: str, voice: str, *, speed: int, pitch: int) -> Rendering:
        """Speak a text, or phoneme codes within ``[[ ]]``, by a voice such as es-419+f4; speed is words per minute."""
        self._check(self._library.espeak_SetVoiceByName(voice.encode()), f"has no voice {voice!r}")
        for parameter, value in ((_RATE, speed), (_PITCH, pitch), (_PITCH_RANGE, 50)):
            self._check(self._library.espeak_SetParameter(parameter, value, 0), f"refused the value {value}")
        self._chunks, self._events = [], []
        encoded = text.encode() + b"\0"
        size = ctypes.c_size_t(len(encoded))
        status = self._library.espeak_Synth(encoded, size, 0, 1, 0, _UTF8_WITH_PHONEME_INPUT, None, None)
        self._check(status, f"could not speak {text!r}")
        self._check(self._library.espeak_Synchronize(), f"could not speak {text!r}")
        return Rendering(np.concatenate(self._chunks), self.rate, tuple(self._events))

    def _receive(
        self, samples: "ctypes._Pointer[ctypes.c_short]", count: int, events: "ctypes._Pointer[_Event]"
    ) -> int:
        if samples and count > 0:
            self._chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
        position = 0
        while (event := events[position]).type != _EVENT_END:
            position += 1
            if event.type == _EVENT_WORD:
                self._events.append(Event(event.sample, None))
            elif event.type == _EVENT_PHONEME:
                # A name that fills the eight bytes has no NUL, so ctypes must not look for one.
                name = ctypes.string_at(ctypes.addressof(event.id), 8).split(b"\0")[0].decode("utf-8")
                self._events.append(Event(event.sample, name.strip("ˈˌ")))
        return 0

    @staticmethod
    def _check(status: int, complaint: str) -> None:
        if status != 0:
            raise RuntimeError(f"espeak-ng {complaint} (status {status})")
