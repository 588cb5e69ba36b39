"""The explorer as a page that is one file and needs no network."""


def html() -> str:
    return ""
