"""Draw mutants of the code at random, in an environment with cosmic-ray, and write them as JSON."""

from __future__ import annotations

import argparse
import ast
import json
import random
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/roundtrip"
PARTS = ("stats", "claims", "checks", "sources", "ingest")


def draw(count: int, seed: int, parts: list[str]) -> list[dict[str, str]]:
    """Draw mutants of all parts at random, each place as likely as another; give those of some."""
    from cosmic_ray.ast import get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    places = []
    for part in PARTS:
        for path in sorted((ROOT / PACKAGE / part).rglob("*.py")):
            code = path.read_text(encoding="utf-8")
            tree = get_ast(code)
            for name in sorted(operator_names()):
                if "ariable" in name or name == "core/NoOp":
                    continue  # they need to be told which variable
                found = sum(len(list(get_operator(name)().mutation_positions(node)))
                            for node in _nodes(tree))  # fmt: skip
                places += [(path, code, name, occurrence) for occurrence in range(found)]
    # A change of one file leaves the lots of the others as they were.
    places.sort(key=lambda place: random.Random(
        f"{seed} {place[0].relative_to(ROOT)} {place[2]} {place[3]}").random())  # fmt: skip
    drawn: list[dict[str, str]] = []
    for path, code, name, occurrence in places:
        if len(drawn) == count:
            break
        mutated = mutate_code(code, get_operator(name)(), occurrence)
        if mutated is not None and not _does_the_same(code, mutated):
            file = path.relative_to(ROOT).as_posix()
            drawn.append({"file": file, "operator": name, "code": mutated})
    return [mutant for mutant in drawn if Path(mutant["file"]).parts[2] in parts]


def _nodes(tree: Any) -> Any:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(getattr(node, "children", ()))


def _does_the_same(code: str, mutated: str) -> bool:
    """Say whether nothing differs but types in functions and signatures, which nothing looks at."""
    try:
        trees = [ast.parse(text) for text in (code, mutated)]
    except SyntaxError:
        return True  # it would not even be imported
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                node.annotation = None
            elif isinstance(node, ast.FunctionDef):
                node.returns = None
                for inner in ast.walk(node):
                    if isinstance(inner, ast.AnnAssign):
                        inner.annotation = ast.Constant(None)
    return ast.dump(trees[0]) == ast.dump(trees[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    drawn = draw(given.count, given.seed, given.parts)
    given.file.write_text(json.dumps(drawn), encoding="utf-8")


if __name__ == "__main__":
    main()
