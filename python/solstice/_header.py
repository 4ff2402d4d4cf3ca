"""solstice.h -> ctypes: structures, enumerations, callback types and functions, as the header declares them.

The header is the one place that says what the library has, so the package reads it instead of repeating it. What it
understands is the C that solstice.h is written in: no bit fields, no unions, no arrays inside of structures.
"""
from __future__ import annotations

import ctypes
import enum
import re
from typing import Any, Dict, List, Tuple

_PLAIN = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "double": ctypes.c_double,
    "size_t": ctypes.c_size_t, "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "unsigned": ctypes.c_uint,
}


class Header:
    """What a header declares: `structs`, `enums` and `constants` by name, `functions` as (result, arguments)."""

    def __init__(self, text: str) -> None:
        self.types: Dict[str, Any] = dict(_PLAIN)
        self.structs: Dict[str, type] = {}
        self.enums: Dict[str, type] = {}
        self.constants: Dict[str, int] = {}
        self.functions: Dict[str, Tuple[Any, List[Any]]] = {}
        for statement in _statements(text):
            self._declare(statement)

    # ---- statements ----

    def _declare(self, text: str) -> None:
        body = re.fullmatch(r"(?:typedef )?(struct|enum) ?(\w*) \{(.*)\} ?(\w*)", text)
        if body:
            kind, name, content = body.group(1), body.group(4) or body.group(2), body.group(3)
            (self._struct if kind == "struct" else self._enum)(name, content)
        elif re.fullmatch(r"typedef struct (\w+) \1", text):
            self.types[text.split()[-1]] = ctypes.c_void_p  # opaque: only pointers to it exist
        elif text.startswith("typedef "):
            name, kind = self._declarator(*_cut_type(text[len("typedef "):]))
            self.types[name] = kind
        else:
            function = re.fullmatch(r"(.*?)(\w+) ?\((.*)\)", text)
            if function:
                result, name, arguments = function.groups()
                self.functions[name] = (self._type(result), self._arguments(arguments))

    def _enum(self, name: str, content: str) -> None:
        members: Dict[str, int] = {}
        value = 0
        for member in filter(None, (part.strip() for part in content.split(","))):
            label, _, given = (part.strip() for part in member.partition("="))
            value = int(given, 0) if given else value
            members[label] = value
            value += 1
        self.constants.update(members)
        if name:
            self.enums[name] = enum.IntEnum(name, members)
            self.types[name] = ctypes.c_uint

    def _struct(self, name: str, content: str) -> None:
        fields = [field for part in content.split(";") if part.strip() for field in self._fields(part.strip())]
        made = type(name, (ctypes.Structure,), {"_fields_": fields, "__slots__": ()})
        self.types[name] = self.structs[name] = made

    def _fields(self, text: str) -> List[Tuple[str, Any]]:
        base, rest = _cut_type(text)
        names = [rest] if "(" in rest else [part.strip() for part in rest.split(",")]
        return [self._declarator(base, part) for part in names]

    # ---- types ----

    def _declarator(self, base: str, text: str) -> Tuple[str, Any]:
        """`*const *name` or `(*name)(arguments)`, of the type `base`."""
        function = re.fullmatch(r"(\**) ?\(\* ?(\w+)\) ?\((.*)\)", text)
        if function:
            stars, name, arguments = function.groups()
            return name, ctypes.CFUNCTYPE(self._type(base + stars), *self._arguments(arguments))
        name = re.search(r"(\w+)$", text)
        assert name, text
        return name.group(1), self._type(base + " " + text[: name.start()])

    def _arguments(self, text: str) -> List[Any]:
        if text.strip() in ("", "void"):
            return []
        return [self._declarator(*_cut_type(part))[1] for part in _split_arguments(text)]

    def _type(self, text: str) -> Any:
        stars = text.count("*")
        name = re.sub(r"\b(const|struct)\b|\*", "", text).strip()
        if name == "FILE":
            return ctypes.c_void_p
        kind = self.types.get(name, ctypes.c_void_p)
        if name not in self.types or kind is ctypes.c_void_p or kind is None:
            return None if name == "void" and not stars else ctypes.c_void_p
        if kind is ctypes.c_char and stars:
            kind, stars = ctypes.c_char_p, stars - 1
        for _ in range(stars):
            kind = ctypes.POINTER(kind)
        return kind


def _statements(text: str) -> List[str]:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
    text = re.sub(r"static inline[^{]*\{.*?\n\}", "", text, flags=re.S)
    text = re.sub(r"\s+", " ", text)
    found, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == ";" and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return found


def _cut_type(text: str) -> Tuple[str, str]:
    """`const char *const *a, *b` -> `const char`, `*const *a, *b`"""
    match = re.fullmatch(r"((?:const |struct )*\w+(?: const)?) ?(.*)", text.strip())
    assert match, text
    return match.group(1), match.group(2)


def _split_arguments(text: str) -> List[str]:
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text + ","):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts
