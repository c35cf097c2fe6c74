#!/usr/bin/env python3
"""A preprocessor of mdBook for pages that rustdoc shows as well.

rustdoc resolves links to items, such as [`Server`] and [`Json`](result::Json); a book cannot, so their text remains. Links that
leave the folder of the book, such as to an example, keep their text too.
"""
import json
import re
import sys

# The modules of the crate that are pages of the book.
PAGES = {"attributes": "attributes.md"}

FENCE = re.compile(r"^(```.*?^```[ \t]*$)", re.MULTILINE | re.DOTALL)
TO_ITEM = re.compile(r"\[([^\[\]]+)\]\((?:[a-z]+@)?[A-Za-z_]\w*(?:::\w+)+!?\)|\[([^\[\]]+)\]\((?:trait|struct|enum|macro|mod)@\w+\)")
BARE_ITEM = re.compile(r"\[(`[^`\[\]]+`)\](?![(\[:])")
OUTSIDE = re.compile(r"\[([^\[\]]+)\]\(\.\./[^)]*\)")


def link(match):
    page = PAGES.get(match[1].strip("`"))
    return f"[{match[1]}]({page})" if page else match[1]


def rewrite(text):
    parts = FENCE.split(text)
    # Odd parts are blocks of code.
    for index in range(0, len(parts), 2):
        part = TO_ITEM.sub(lambda match: match[1] or match[2], parts[index])
        part = BARE_ITEM.sub(link, part)
        parts[index] = OUTSIDE.sub(r"\1", part)
    return "".join(parts)


def visit(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            chapter["content"] = rewrite(chapter["content"])
            visit(chapter["sub_items"])


if len(sys.argv) > 1 and sys.argv[1] == "supports":
    sys.exit(0)
_context, book = json.load(sys.stdin)
visit(book["items"])
json.dump(book, sys.stdout)
