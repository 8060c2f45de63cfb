"""Transcripts, built by a loader of your own and written for other programs; costs, written to be read again."""

from phonxling.core.sequences import Transcript as Transcript
from phonxling.experiment.single import save_costs as save_costs, save_transcript as save_transcript
from phonxling.load.building import TranscriptBuilder as TranscriptBuilder
