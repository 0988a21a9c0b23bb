"""Errors that a person can do something about."""

from __future__ import annotations


def said_of(error: OSError) -> str:
    """A fault of the file system in one line."""
    return f"{error.filename or 'file system'}: {error.strerror or error}"


class RefusedError(Exception):
    """What was asked for makes no sense or is not allowed. `fault` says what, `advice` what to do."""

    def __init__(self, fault: str, advice: str = "") -> None:
        self.fault = fault
        self.advice = advice
        super().__init__(fault, advice)

    def __str__(self) -> str:
        return f"{self.fault}; {self.advice}" if self.advice else self.fault
