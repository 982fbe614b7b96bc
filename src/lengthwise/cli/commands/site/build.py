"""`lengthwise site build`: the static folder of the playground."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ....web.pyodide import VERSION
from ...text import print_json, print_note

EXAMPLES = f"""\
examples:
  lengthwise site build --out public
  lengthwise site build --out public --pyodide package --docs build/docs

Pyodide is Python for the browser. Without --pyodide it comes from npm, which needs a network. To build offline, run
'npm pack pyodide@{VERSION}' elsewhere, unpack it, and name its folder. Where Node is installed, the site also gets
the memory of a started Python, from which the page starts three times as fast."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out", metavar="FOLDER", required=True, help="the folder to write: new, empty, or a site already"
    )
    parser.add_argument(
        "--pyodide", metavar="FOLDER", help=f"the unpacked npm package pyodide@{VERSION} (default: npm fetches it)"
    )
    parser.add_argument(
        "--docs", metavar="FOLDER", help="the built documentation, from 'scripts/docs --site' (default: none)"
    )


def run(options: Namespace) -> int:
    """Write the site."""
    from ....web.build import build_site

    built = build_site(options.out, pyodide=options.pyodide, docs=options.docs)
    if options.json:
        print_json(
            {
                "folder": str(built.folder),
                "files": built.num_files,
                "bytes": built.num_bytes,
                "snapshot": built.has_snapshot,
            }
        )
    else:
        print(f"{built.folder}: {built.num_files} files, {built.num_bytes / 1e6:.1f} MB")
        if not built.has_snapshot:
            print_note("there is no 'node' on this machine, so the page takes some seconds longer to start Python.")
        print(f"to look at it: lengthwise serve --site {built.folder}", file=sys.stderr)
    return 0
