"""The browser files: icons become files, and what was fetched is what the lock names."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def build_static(project_root: Path) -> ModuleType:
    """The script tools/build_static.py as a module."""
    path = project_root / "tools" / "build_static.py"
    spec = importlib.util.spec_from_file_location("build_static", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "address",
    [
        "\"data:image/svg+xml,%3Csvg xmlns='a'/%3E\"",
        "data:image/svg+xml;base64,PHN2ZyB4bWxucz0nYScvPg==",
    ],
)
def test_icons_become_files(build_static: ModuleType, tmp_path: Path, address: str) -> None:
    """A picture written into the sheet, plain or in base64, becomes one file that it names."""
    source = tmp_path / "source.css"
    source.write_text(f".a{{b:url({address})}}.c{{d:url({address})}}", encoding="utf-8")
    target = tmp_path / "out" / "sheet.css"

    written = build_static.write_pico(source, target)

    (icon,) = written - {target}
    assert icon.read_bytes() == b"<svg xmlns='a'/>"
    link = f'url("icons/{icon.name}")'
    assert target.read_text(encoding="utf-8") == f".a{{b:{link}}}.c{{d:{link}}}"


def test_other_data_addresses_are_refused(build_static: ModuleType, tmp_path: Path) -> None:
    """A kind of embedded file the policy would block, and we cannot write out, stops the build."""
    source = tmp_path / "source.css"
    source.write_text("@font-face{src:url(data:font/woff2;base64,AA==)}", encoding="utf-8")
    with pytest.raises(build_static.BuildError, match="no SVG picture"):
        build_static.write_pico(source, tmp_path / "sheet.css")


def test_vendor_files_are_those_of_the_manifest(project_root: Path) -> None:
    """static/vendor holds what its manifest says, in the versions that package.json asks for."""
    vendor = project_root / "static" / "vendor"
    manifest = json.loads((vendor / "manifest.json").read_text(encoding="utf-8"))
    wanted = json.loads((project_root / "package.json").read_text(encoding="utf-8"))
    found = {
        path.relative_to(vendor).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in vendor.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    assert manifest["files"] == found
    assert manifest["packages"] == wanted["dependencies"]


def test_the_sheet_embeds_nothing(project_root: Path) -> None:
    """Pico's sheet has no data: address left, and each file it names is there."""
    pico = project_root / "static" / "vendor" / "pico"
    sheet = (pico / "pico.min.css").read_text(encoding="utf-8")
    assert "data:" not in sheet
    for icon in (pico / "icons").iterdir():
        assert f'url("icons/{icon.name}")' in sheet
    assert sheet.count("url(") == sheet.count('url("icons/')
