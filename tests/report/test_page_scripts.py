"""The page's scripts fit together: whatever one imports, the other exports."""

import re
from pathlib import Path

import phonxling.report.render as bundle

SCRIPTS = Path(bundle.__file__).parent / "assets" / "scripts"
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:const|function) (\w+)", re.MULTILINE)


def test_every_imported_name_is_exported() -> None:
    missing, imports = [], 0
    for file in SCRIPTS.rglob("*.js"):
        for names, path in IMPORT.findall(file.read_text(encoding="utf-8")):
            imports += 1
            exported = EXPORT.findall((file.parent / path).read_text(encoding="utf-8"))
            wanted = [name.strip() for name in names.split(",") if name.strip()]
            missing += [f"{file.name}: {name} of {path}" for name in wanted if name not in exported]
    assert missing == []
    assert imports > 50


def test_every_script_is_in_the_bundle() -> None:
    names = {file.relative_to(SCRIPTS).with_suffix("").as_posix() for file in SCRIPTS.rglob("*.js")} - {"main"}
    bundled = bundle.script()
    assert {name for name in names if f"const ${name.replace('/', '$')} = " not in bundled} == set()
