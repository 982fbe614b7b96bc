"""Requests and responses of the server: what is read strictly, what every answer carries, and who may ask.

The server only reads: there is GET and HEAD, and no request has a body. Every request names its host, and a page of another
origin gets nothing.
"""

from __future__ import annotations

import hmac
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import parse_qs, unquote, urlsplit

LONGEST_HEAD = 16_384  # bytes of a request line with its headers; a browser sends about 1,000
_MOST_HEADERS = 100
_LINE = re.compile(r"([A-Z]{1,20}) (/[!-~]*) HTTP/1\.[01]")
_HEADER = re.compile(r"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_ONCE = ("host", "origin", "content-length", "transfer-encoding", "cookie")
COOKIE = "lengthwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The head of a request: the decoded path, the query, and the headers in lower case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What goes back: a body of a media type, and headers beyond those that every answer carries."""

    status: HTTPStatus = HTTPStatus.OK
    kind: str = "text/plain; charset=utf-8"
    body: bytes = b""
    policy: str = ""  # sources that the content security policy allows beyond the server itself
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_bytes(self, *, with_body: bool = True) -> bytes:
        """Return the answer as it is sent; the connection ends with it."""
        told = {
            "Content-Type": self.kind,
            "Content-Length": str(len(self.body)),
            "Content-Security-Policy": self.policy or policy_of(b""),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-cache",
            "Connection": "close",
            **self.headers,
        }
        head = f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in told.items())
        is_sent = with_body and self.status is not HTTPStatus.NOT_MODIFIED
        return head.encode("latin-1", "replace") + b"\r\n" + (self.body if is_sent else b"")


def refusal(status: HTTPStatus, reason: str) -> Response:
    """Return a refusal, with its reason in a sentence."""
    return Response(status=status, body=f"{reason}\n".encode())


def policy_of(page: bytes, *, scripts: bool = True, attributes: bool = False) -> str:
    """Return the content security policy for a page: its own inline styles, and with ``scripts`` its inline scripts, by hash.

    With ``attributes`` elements may carry styles of their own, as pages of the documentation do.
    """
    styles = _hashes(re.findall(rb"<style[^>]*>(.*?)</style>", page, flags=re.DOTALL))
    inline = (
        _hashes(re.findall(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", page, flags=re.DOTALL)) if scripts else ""
    )
    carried = "style-src-attr 'unsafe-inline'; " if attributes else ""
    return (
        f"default-src 'none'; {carried}script-src 'self' 'wasm-unsafe-eval'{inline}; style-src 'self'{styles}; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _hashes(parts: Iterable[bytes]) -> str:
    return "".join(f" 'sha256-{b64encode(sha256(part).digest()).decode()}'" for part in dict.fromkeys(parts))


def read_request(head: bytes) -> Request | Response:
    """Return the request that a head says, or the refusal of one that is not well formed."""
    try:
        first_line, *lines = head.decode("ascii").removesuffix("\r\n\r\n").split("\r\n")
    except UnicodeDecodeError:
        return refusal(HTTPStatus.BAD_REQUEST, "A request is ASCII text.")
    first = _LINE.fullmatch(first_line)
    if first is None or len(lines) > _MOST_HEADERS:
        return refusal(HTTPStatus.BAD_REQUEST, "This is not a request of HTTP/1.1.")
    headers: dict[str, str] = {}
    for line in lines:
        found = _HEADER.fullmatch(line)
        name = found[1].lower() if found else ""
        if found is None or (name in _ONCE and name in headers):
            return refusal(HTTPStatus.BAD_REQUEST, "A header is malformed or comes twice.")
        headers[name] = found[2]
    target = urlsplit(first[2])
    if target.netloc or "\\" in target.path:
        return refusal(HTTPStatus.BAD_REQUEST, "The path is malformed.")
    try:
        path, query = unquote(target.path, errors="strict"), parse_qs(target.query, max_num_fields=20)
    except ValueError:
        return refusal(HTTPStatus.BAD_REQUEST, "The address is malformed.")
    return Request(method=first[1], path=path, query=query, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Who may ask: the names under which this server is reached, and the token where others can reach it."""

    hosts: frozenset[str]  # empty where any name may be used, which needs a token
    token: str = ""

    def refuse(self, request: Request) -> Response | None:
        """Return why a request is refused, or the redirection that turns a token in the address into a cookie."""
        headers = request.headers
        host = headers.get("host", "").lower()
        if not host or (self.hosts and host not in self.hosts):
            return refusal(HTTPStatus.MISDIRECTED_REQUEST, "This server does not answer for this host.")
        if request.method not in ("GET", "HEAD"):
            allowed = refusal(HTTPStatus.METHOD_NOT_ALLOWED, "This server only reads: GET and HEAD.")
            return Response(status=allowed.status, body=allowed.body, headers={"Allow": "GET, HEAD"})
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "A request has no body.")
        if headers.get("origin", f"http://{host}").lower() != f"http://{host}":
            return refusal(HTTPStatus.FORBIDDEN, "Another origin may not ask.")
        is_foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if is_foreign and headers.get("sec-fetch-mode") != "navigate":
            return refusal(HTTPStatus.FORBIDDEN, "Another site may not ask.")
        return self._refuse_stranger(request) if self.token else None

    def _refuse_stranger(self, request: Request) -> Response | None:
        given = request.query.get("token", [""])[0]
        if given and self._is_token(given):
            cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            return Response(status=HTTPStatus.SEE_OTHER, headers={"Location": "/", "Set-Cookie": cookie})
        pairs = [part.strip().partition("=") for part in request.headers.get("cookie", "").split(";")]
        if any(name == COOKIE and self._is_token(value) for name, _, value in pairs):
            return None
        return refusal(HTTPStatus.UNAUTHORIZED, "Open the address that 'lengthwise serve' printed; it holds the token.")

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())
