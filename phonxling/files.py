"""Transcripts, built by a loader of your own and written for other programs."""

from phonxling.load.building import TranscriptBuilder as TranscriptBuilder
from phonxling.report.transcript import save_transcript as save_transcript
