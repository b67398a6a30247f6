"""Plain tables."""


def show(title, heads, rows):
    """Prints a table; numbers get three digits at most, None a dash."""
    cells = [[text(cell) for cell in row] for row in [heads, *rows]]
    widths = [max(len(row[n]) for row in cells) for n in range(len(heads))]
    print(f"\n{title}")
    for row in cells:
        first, *rest = row
        print("  " + first.ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(rest, widths[1:])))


def text(cell):
    if cell is None:
        return "-"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"


def ratio(ours, theirs):
    """Ours by theirs; None if one of them is missing or theirs is nothing."""
    return ours / theirs if ours is not None and theirs else None


def median(values):
    values = sorted(value for value in values if value is not None)
    if not values:
        return None
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
