"""`arena moderator`: accounts of the moderators' rooms; a password is never an argument."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

import click

from antiabuse.accounts import ROLES, Role
from webapp.settings import read_settings

__all__ = ["moderator"]


@click.group()
def moderator() -> None:
    """Look after the accounts of moderators."""


@moderator.command()
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the account may do.")
@click.option("--totp", is_flag=True, help="Also ask for one-time codes at sign-in.")
def add(name: str, role: Role, totp: bool) -> None:  # noqa: FBT001 - as click passes it
    """Add an account; asks for its password, or reads it as the first line of the input."""
    from antiabuse import accounts
    from antiabuse.passwords import SALT_BYTES, new_digest
    from antiabuse.totp import new_secret
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    name = accounts.normal_name(name)
    secret = new_secret(services.rng) if totp else None
    digest = new_digest(name, _password(), services.rng.randbytes(SALT_BYTES))
    with services.database.write() as conn:
        added = accounts.add(
            conn,
            services.ports,
            name=name,
            role=role,
            password_hash=digest,
            totp_secret=secret,
            now_us=services.clock(),
        )
    services.close()
    click.echo(
        f"Added {added.name} ({added.role}); in public the account is called {added.handle}."
    )
    if secret is not None:
        _show_secret(secret, added.name, services.settings.name)


@moderator.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_(as_json: bool) -> None:  # noqa: FBT001 - as click passes it
    """List the accounts with role, state and open sessions."""
    from antiabuse import accounts, sessions
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    with services.database.read() as conn:
        rows = [
            {
                **asdict(account),
                "sessions": len(sessions.sessions_of(conn, account.name, services.clock())),
            }
            for account in accounts.everyone(conn)
        ]
    services.close()
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    if not rows:
        click.echo("No accounts yet: arena moderator add NAME --role moderator")
    for row in rows:
        state = "open" if row["disabled_us"] is None else "disabled"
        code = "code" if row["has_code"] else "no code"
        click.echo(
            f"{row['name']:<32} {row['handle']}  {row['role']:<9}  {state:<8}  {code:<7}"
            f"  sessions {row['sessions']}"
        )


@moderator.command()
@click.argument("name")
def disable(name: str) -> None:
    """Close an account for good and sign it out everywhere."""
    from antiabuse import accounts
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    with services.database.write() as conn:
        closed = accounts.disable(
            conn, services.ports, accounts.normal_name(name), services.clock()
        )
    services.close()
    click.echo(f"{closed.name} ({closed.handle}) is disabled and signed out.")


@moderator.command()
@click.argument("name")
def password(name: str) -> None:
    """Set a new password and sign the account out everywhere."""
    from antiabuse import accounts
    from antiabuse.passwords import SALT_BYTES, new_digest
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    name = accounts.normal_name(name)
    digest = new_digest(name, _password(), services.rng.randbytes(SALT_BYTES))
    with services.database.write() as conn:
        accounts.set_password(
            conn,
            services.ports,
            name=name,
            password_hash=digest,
            by=accounts.OPERATOR,
            now_us=services.clock(),
        )
    services.close()
    click.echo(f"{name} has a new password and is signed out everywhere.")


def _password() -> str:
    """Ask for a password twice, unseen; from a pipe or file read one line."""
    if at_terminal():
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
        return typed
    return sys.stdin.readline().rstrip("\r\n")


def at_terminal() -> bool:
    """Return whether a person types the input."""
    return sys.stdin.isatty()


def _show_secret(secret: str, name: str, issuer: str) -> None:
    from antiabuse.totp import provisioning_uri

    click.echo("Put this into an authenticator; it is shown only once:")
    click.echo(f"  {provisioning_uri(secret, name, issuer)}")
    click.echo(f"  key {' '.join(secret[at : at + 4] for at in range(0, len(secret), 4))}")
