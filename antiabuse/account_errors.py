"""What may go wrong with moderators' accounts."""

from __future__ import annotations

from antiabuse.errors import AntiabuseError


class AccountError(AntiabuseError):
    """Root of the errors of accounts; the message is for the person at the keyboard."""


class UnusableName(AccountError):
    """The name cannot be one of an account, or is taken."""


class UnusablePassword(AccountError):
    """The password is too short, too long, or the name itself."""


class UnknownAccount(AccountError):
    """There is no account of this name, or it is disabled already."""


class SignInFailed(AccountError):
    """Name, password and code do not belong together; which of them is wrong is never told."""


class TooManyFailures(AccountError):
    """Too many failed sign-ins; `retry_after_s` is the wait in whole seconds."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"too many failed sign-ins: try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s
