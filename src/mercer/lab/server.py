"""Routes: the page, its views' questions, uploads. `make_app` makes the application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from mercer.errors import UserError
from mercer.io.jsonable import jsonable
from mercer.lab import views
from mercer.lab.address import Address
from mercer.lab.desk import Desk
from mercer.lab.guard import UPLOAD, Guard, Refused
from mercer.lab.questions import read_question
from mercer.lab.room import Room, refuse_pickle
from mercer.lab.view import View, question_of

STATIC = Path(__file__).parent / "static"


class Lab:
    """The endpoints, and what they share."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.room = Room(address)
        self.desk = Desk(address.limits)
        self.views: dict[str, View] = {n: v(self.room) for n, v in views.available().items()}

    async def page(self, request: Request) -> Response:
        """The page; who brings the token gets the cookie that stands for it from now on."""
        answer = FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")
        if "token" in request.query_params:
            answer.set_cookie(self.address.cookie, self.address.token, httponly=True,
                              samesite="strict", path="/")  # fmt: skip
        return answer

    async def listed(self, request: Request) -> Response:
        """All views."""
        found = await self.desk.answer(lambda: [view.facts() for view in self.views.values()])
        return _json({"views": found})

    async def ask(self, request: Request) -> Response:
        """One question to one view."""
        view = self.views.get(request.path_params["view"])
        call = None if view is None else view.calls().get(request.path_params["call"])
        if call is None:
            raise Refused(404, "there is no such question")
        if request.headers.get("content-type", "").split(";")[0] != "application/json":
            raise Refused(415, "questions are JSON")
        async with _patience(self.address.limits.patience):
            raw = await request.body()
        try:
            question = read_question(question_of(call), json.loads(raw))
            answer = await self.desk.answer(
                partial(_reply, call, question), request.is_disconnected
            )
        except (ValueError, RecursionError, UserError) as problem:
            return _json(_told(problem), status_code=422)
        return Response(answer, media_type="application/json")

    async def upload(self, request: Request) -> Response:
        """A file for the views; the body is the file, ``X-File-Name`` gives its ending."""
        part = self.room.shelf() / f"part-{id(request)}"
        try:
            async with _patience(self.address.limits.seconds):
                with part.open("wb") as stream:
                    async for piece in request.stream():
                        stream.write(piece)
            key = self.room.keep(unquote(request.headers.get("x-file-name", ""))[-100:], part)
            refuse_pickle(self.room.uploads[key])
        except UserError as problem:
            self.room.uploads.pop(key).unlink()
            return _json(_told(problem), status_code=422)
        finally:
            part.unlink(missing_ok=True)
        return _json({"name": key})

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """Leave nothing behind."""
        yield
        self.desk.close()
        self.room.close()


def make_app(address: Address) -> Guard:
    """The lab as an ASGI application."""
    lab = Lab(address)
    app = Starlette(
        routes=[
            Route("/", lab.page),
            Route("/api/views", lab.listed),
            Route("/api/{view}/{call}", lab.ask, methods=["POST"]),
            Route(UPLOAD, lab.upload, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
            *(route for view in lab.views.values() for route in view.routes()),
        ],
        lifespan=lab.lifespan,
        exception_handlers={Refused: _refused, 404: _missing, 500: _broken},
    )
    guarded = Guard(app, address)
    guarded.lab = lab
    return guarded


def _reply(call: Any, question: Any) -> bytes:
    """Computed and written out in the thread, so that the loop stays free for others."""
    answer = call(question)
    try:
        told = json.dumps(answer, separators=(",", ":"), allow_nan=False, default=_listed)
    except ValueError:  # not a number somewhere: the slow way has words for it
        told = json.dumps(jsonable(answer), separators=(",", ":"))
    return told.encode()


def _listed(value: object) -> Any:
    return value.tolist() if hasattr(value, "tolist") else jsonable(value)


@asynccontextmanager
async def _patience(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise Refused(408, "the request took too long to arrive") from None


def _told(problem: Exception) -> dict[str, str]:
    if isinstance(problem, UserError):
        return {"error": problem.message, "advice": problem.advice}
    return {"error": f"{problem}"[:500], "advice": ""}


def _json(value: object, status_code: int = 200) -> Response:
    return JSONResponse(jsonable(value), status_code=status_code)


async def _refused(request: Request, no: Exception) -> Response:
    assert isinstance(no, Refused)
    answer = _json({"error": no.reason, "advice": ""}, status_code=no.status)
    if no.status in (408, 413):  # the rest of the body is not read any more
        answer.headers["connection"] = "close"
    return answer


async def _broken(request: Request, problem: Exception) -> Response:
    words = f"{type(problem).__name__}: {problem}"[:300]
    advice = "This looks like a mistake in Mercer; the terminal has more."
    return _json({"error": words, "advice": advice}, status_code=500)


async def _missing(request: Request, no: Exception) -> Response:
    return _json({"error": "there is nothing here", "advice": ""}, status_code=404)
