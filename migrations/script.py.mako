"""${message}.

A migration must suit the code that is still running while it is applied: add first, remove in a
later release. It goes forward only, and never touches a row of the log.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
% if imports:
${imports}
% endif

revision = ${repr(up_revision).replace("'", '"')}
down_revision = ${repr(down_revision).replace("'", '"')}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """${message}."""
    ${upgrades if upgrades else "raise NotImplementedError"}
