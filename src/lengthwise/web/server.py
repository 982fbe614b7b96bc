"""The server behind ``lengthwise serve``: a built site and stores of results, for reading.

It is asyncio alone: the head of a request has a size and a deadline, so that slow clients hold no thread, and a connection
carries one request. Files are those that lay in the site's folder when the server started, looked up by their exact address; no
path is ever built from a request.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path

from ..errors import UnreadableFileError, UsageError
from .http import LONGEST_HEAD, Guard, Request, Response, policy_of, read_request, refusal
from .stores import Stores

HEAD_SECONDS = 5.0  # in which a client must have sent its request
BODY_SECONDS = 60.0  # in which it must have taken the answer
MOST_CONNECTIONS = 128

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    ".bin": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}

_OWN = {"/stores/live.js": "live.js", "/favicon.ico": "icon.svg"}
"""Files that are shown without a site, by address."""


class Server:
    """Answers requests about a site's folder and stores; ``serve_forever`` binds and runs until it is stopped."""

    def __init__(self, stores: Sequence[str | Path], site: str | Path | None, *, host: str, port: int) -> None:
        self.stores = Stores(stores)
        self.files = {} if site is None else site_files(Path(site))
        self.socket = _bind(host, port)
        bound = self.socket.getsockname()[1]
        self.guard = _guard(host, bound)
        shown = f"[{host}]" if ":" in host else "localhost" if host in ("0.0.0.0", "127.0.0.1") else host
        self.address = f"http://{shown}:{bound}/" + (f"?token={self.guard.token}" if self.guard.token else "")
        self._connections = 0

    async def serve_forever(self) -> None:
        """Answer until the task is cancelled."""
        server = await asyncio.start_server(self._connected, sock=self.socket, limit=LONGEST_HEAD)
        async with server:
            await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        try:
            if self._connections <= MOST_CONNECTIONS:
                await self._converse(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # the client has gone, or is too slow
        finally:
            self._connections -= 1
            writer.transport.abort() if self._connections >= MOST_CONNECTIONS else writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method = "GET"
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                request = read_request(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            request = refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request is too long.")
        if isinstance(request, Request):
            method = request.method
            answer = await asyncio.to_thread(self.respond, request)
        else:
            answer = request
        writer.write(answer.to_bytes(with_body=method != "HEAD"))
        async with asyncio.timeout(BODY_SECONDS):
            await writer.drain()

    def respond(self, request: Request) -> Response:
        """Return the answer to a request."""
        refused = self.guard.refuse(request)
        if refused is not None:
            return refused
        path = request.path
        if path in _OWN:
            own = files(__package__).joinpath("static", _OWN[path])
            return Response(kind=_KINDS[Path(_OWN[path]).suffix], body=own.read_bytes())
        if path.startswith("/stores/"):
            return self.stores.page(path)
        if path == "/" and "index.html" not in self.files:
            return Response(status=HTTPStatus.SEE_OTHER, headers={"Location": "/stores/"})
        name = path[1:] + "index.html" * path.endswith("/")
        if name not in self.files:
            return refusal(HTTPStatus.NOT_FOUND, "There is no such page.")
        return _file_response(self.files[name], request.headers, is_docs=name.startswith("docs/"))


def site_files(folder: Path) -> dict[str, Path]:
    """Return the regular files of a folder by their address; links are left out, because they may lead anywhere."""
    if not (folder / "index.html").is_file():
        raise UsageError(
            f"the folder {str(folder)!r} has no index.html, so it is no site.",
            hint="build one: lengthwise site build --out FOLDER",
        )
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(place) / name
            if path.is_file() and not path.is_symlink() and not name.startswith(".") and path.suffix in _KINDS:
                found[path.relative_to(folder).as_posix()] = path
    return found


def _file_response(path: Path, headers: Mapping[str, str], *, is_docs: bool) -> Response:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return refusal(HTTPStatus.NOT_FOUND, "There is no such page.")
    with open(handle, "rb") as opened:
        state = os.fstat(handle)
        tag = f'"{state.st_mtime_ns:x}-{state.st_size:x}"'
        body = opened.read()
    policy = policy_of(body, attributes=is_docs) if path.suffix == ".html" else ""
    # a browser applies the headers of a 304 to the page that it kept, so they must be those of the page
    is_kept = headers.get("if-none-match") == tag
    status = HTTPStatus.NOT_MODIFIED if is_kept else HTTPStatus.OK
    return Response(status=status, kind=_KINDS[path.suffix], body=body, policy=policy, headers={"ETag": tag})


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(MOST_CONNECTIONS)
    except (OSError, UnicodeError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFileError(
            f"cannot listen at {host!r}, port {port}: {reason}.", hint="choose another --port, or 0 for a free one."
        ) from None
    return bound


def _guard(host: str, port: int) -> Guard:
    """Return who may ask: on loopback anybody who uses its names, elsewhere who has the token."""
    if host in ("127.0.0.1", "localhost", "::1"):
        return Guard(hosts=frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")))
    named = (
        frozenset()
        if host in ("0.0.0.0", "::")
        else frozenset({f"[{host}]:{port}" if ":" in host else f"{host}:{port}".lower()})
    )
    return Guard(hosts=named, token=secrets.token_urlsafe(24))
