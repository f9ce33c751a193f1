"""Open the lab: find a port, say the address, serve until Ctrl-C."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from dataclasses import replace
from typing import Any

from mercer.errors import UserError
from mercer.lab.address import LOOPBACK, Address

CONNECTIONS = 512


def serve(address: Address, *, browser: bool = True) -> None:
    """Serve until interrupted; prints the address with its token to standard error."""
    listening = listen(address)
    address = replace(address, port=listening.getsockname()[1])
    try:
        server = make_server(address)
    except UserError:
        listening.close()
        raise
    sys.stderr.write(f"The lab is open: {address.url()}\n")
    if address.host not in LOOPBACK:
        sys.stderr.write(
            f"WARNING: {address.host} can be reached from other computers, and whoever reads the "
            "address above can use this lab. ssh -L is safer.\n"
        )
    sys.stderr.write("Ctrl-C closes it.\n")
    sys.stderr.flush()
    if browser:
        threading.Timer(0.6, webbrowser.open, [address.url()]).start()
    server.run([listening])


def listen(address: Address) -> socket.socket:
    """A socket at the address; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
        listening.listen(
            CONNECTIONS
        )  # who opens the address at once waits instead of being refused
    except OSError as problem:
        listening.close()
        raise UserError(
            f"cannot listen at {address.host}, port {address.port}: {problem.strerror}.",
            "Leave out --port to take any that is free.",
        ) from None
    return listening


def make_server(address: Address) -> Any:
    """Uvicorn with the lab in it; nothing in its answers says what it is."""
    try:
        import uvicorn

        from mercer.lab.server import make_app
    except ImportError as problem:
        raise UserError(
            f"the lab needs {problem.name}.", "Install it with: pip install 'mercer[lab]'"
        ) from None
    return uvicorn.Server(
        uvicorn.Config(
            make_app(address),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=3,
        )
    )
