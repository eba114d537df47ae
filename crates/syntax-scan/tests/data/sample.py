"""A module's text, with an apostrophe and (parentheses."""
# It's a comment with " and [.
import re

PATTERN = re.compile(r'\'"[(]' "x")
LONG = '''
don't " count { me
'''
BYTES = b"\"(" + rb'\'['


def show(items, width=10):
    total = 1 + \
        2
    for index, item in enumerate(items[1:]):
        print(f"{index}: {item['name']!r:>{width}} {{literal}} {total:,}")
        print(f'''{
            item
        } ({index})''', end="")
    return {key: [value] for key, value in zip("abc", (1, 2, 3))}
