"""`lengthwise serve`: stores of results and the site, in a browser on this machine."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress

from ..arguments import whole_number
from ..text import print_json, print_note

EXAMPLES = """\
examples:
  lengthwise serve runs.sqlite                  runs, progress and reports of a store
  lengthwise serve runs.sqlite --site public    and the playground that 'lengthwise site build' wrote
  lengthwise serve --site public --port 0       at any free port

It listens on this machine only. With another --host the printed address holds a random token, without which nothing is shown.
Nothing is ever written: a store is opened for reading, for one request at a time. Stop it with Ctrl-C."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", nargs="*", metavar="STORE", help="a store of results (.sqlite)")
    parser.add_argument("--site", metavar="FOLDER", help="a folder from 'lengthwise site build'")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="NAME", help="where to listen (default: 127.0.0.1, this machine only)"
    )
    parser.add_argument(
        "--port", type=whole_number(0, 65_535), default=8765, metavar="N", help="the port (default: 8765; 0: any)"
    )


def run(options: Namespace) -> int:
    """Serve until interrupted; the address is printed first."""
    import asyncio

    from ...web.server import Server

    server = Server(options.store, options.site, host=options.host, port=options.port)
    if server.guard.token:
        print_note("others on the network can reach this address; the traffic is not encrypted.")
    if options.json:
        print_json({"address": server.address})
    else:
        print(server.address)
    sys.stdout.flush()
    with suppress(asyncio.CancelledError):
        asyncio.run(server.serve_forever())
    return 0
