"""The part of README.md that is made: the map of chapters, between two marks."""

from minigrad.course.catalog import PLANNED, CatalogError, Course

BEGIN, END = "<!-- chapters: made by make cut -->", "<!-- /chapters -->"


def filled(course: Course) -> str | None:
    """README.md with today's map in it; None without a README.md."""
    path = course.root / "README.md"
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise CatalogError(f"README.md: the marks {BEGIN} and {END} are missing")
    return f"{before}{BEGIN}\n{chapter_map(course)}\n{END}{after}"


def chapter_map(course: Course) -> str:
    """A table of all chapters; those that are not there yet say so."""
    there = {c.number: c for c in course.chapters}
    lines = ["| chapter | what you build | exercises | hours |", "|---|---|---|---|"]
    for name, about in PLANNED:
        chapter = there.get(int(name[:2]))
        if chapter is None:
            lines.append(f"| {name} | {about} | not there yet | |")
        else:
            link = f"[{name}](chapters/{name}/{name}.md)"
            lines.append(f"| {link} | {about} | {len(chapter.exercises)} | {chapter.hours:g} |")
    return "\n".join(lines)
