"""Small changes of a file's functions, each of which a test should notice."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all",
    "all": "any", "floor": "ceil", "ceil": "floor", "log": "log1p", "log1p": "log",
    "exp": "expm1", "expm1": "exp", "sum": "max", "logcdf": "logsf", "logsf": "logcdf",
    "cdf": "sf", "sf": "cdf", "argmin": "argmax", "argmax": "argmin",
}  # fmt: skip
# What is not run, and what is said when something is refused: words are not held by these tests
QUIET = (ast.Raise, ast.Assert, ast.JoinedStr)


@dataclass(frozen=True)
class Change:
    """One change: where it is, what stood there, what stands there now."""

    path: str
    function: str
    line: int
    before: str
    after: str
    code: CodeType

    @property
    def told(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.before} -> {self.after}"


def changes(path: str, filename: str, source: str) -> Iterator[Change]:
    """Every change of every function; a function in a function belongs to the outer one."""
    tree = ast.parse(source)
    for name, function in functions(tree):
        for node in places(function):
            for other in instead(node):
                mutant, here = swapped(tree, node, other)
                code = code_of(compile(mutant, filename, "exec"), name)
                if code is not None:
                    line = getattr(node, "lineno", function.lineno)
                    yield Change(path, name, line, ast.unparse(node), ast.unparse(here), code)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from functions(node, prefix)


def places(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions of a body, without defaults, annotations, decorators and words."""
    if isinstance(node, QUIET):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        children: list[ast.AST] = list(node.body)
    elif isinstance(node, ast.AnnAssign):
        children = [node.value] if node.value else []
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        children = []
    else:
        children = list(ast.iter_child_nodes(node))
        yield node
    for child in children:
        yield from places(child)


def instead(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in a node's place."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            other = copy.copy(node)
            other.ops = [*node.ops[:k], COMPARISONS[type(operator)](), *node.ops[k + 1 :]]
            yield other
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def swapped(tree: ast.AST, node: ast.AST, other: ast.AST) -> tuple[ast.Module, ast.AST]:
    """The tree with ``other`` in the place of ``node``; the original stays as it is."""
    memo = {id(node): ast.copy_location(other, node)}
    mutant = copy.deepcopy(tree, memo)
    assert isinstance(mutant, ast.Module)
    return ast.fix_missing_locations(mutant), other


def code_of(code: CodeType, name: str) -> CodeType | None:
    """The compiled body of a function, by its qualified name."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == name:
                return constant
            found = code_of(constant, name)
            if found is not None:
                return found
    return None
