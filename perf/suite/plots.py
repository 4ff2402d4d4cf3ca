"""Points -> SVG: lines over logarithmic axes, and bars. No more than the report needs."""
import html
import math

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 36, 50
COLOURS = ("#1f6fb2", "#d1495b", "#3a8f4d", "#8a5fb0", "#c98a1b", "#4a4a4a", "#17919e", "#a0522d",
           "#d46fb3", "#7a8b2a")


def _decades(values):
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = math.ceil(math.log10(max(values)) - 1e-9)
    return low, max(high, low + 1)


def _label(power):
    return {0: "1", 1: "10", 2: "100", 3: "1000"}.get(power, f"1e{power}")


class _Page:
    def __init__(self, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{LEFT}" y="22" font-size="14" font-weight="bold">{html.escape(title)}</text>']

    def line(self, x1, y1, x2, y2, colour="#ddd", width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"/>')

    def text(self, x, y, text, anchor="middle", colour="black", turn=None):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"'
                          f'{turned}>{html.escape(text)}</text>')

    def add(self, part):
        self.parts.append(part)

    def done(self):
        return "\n".join(self.parts + ["</svg>", ""])


def lines(title, x_name, y_name, series):
    """series: {name: [(x, y), ...]}, all positive; both axes logarithmic. -> SVG, or None."""
    series = {n: [(x, y) for x, y in p if x > 0 and y > 0] for n, p in series.items()}
    series = {n: p for n, p in series.items() if p}
    if not series:
        return None
    page = _Page(title)
    xs = _decades([x for p in series.values() for x, _ in p])
    ys = _decades([y for p in series.values() for _, y in p])
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x, y):
        return (LEFT + across*(math.log10(x) - xs[0])/(xs[1] - xs[0]),
                TOP + down*(ys[1] - math.log10(y))/(ys[1] - ys[0]))

    for power in range(xs[0], xs[1] + 1):
        x, _ = place(10.0**power, 10.0**ys[0])
        page.line(x, TOP, x, TOP + down)
        page.text(x, TOP + down + 18, _label(power))
    for power in range(ys[0], ys[1] + 1):
        _, y = place(10.0**xs[0], 10.0**power)
        page.line(LEFT, y, LEFT + across, y)
        page.text(LEFT - 8, y + 4, _label(power), "end")
    page.text(LEFT + across/2, HEIGHT - 12, x_name)
    page.text(18, TOP + down/2, y_name, turn=-90)
    for k, (name, points) in enumerate(series.items()):
        colour = COLOURS[k % len(COLOURS)]
        placed = [place(x, y) for x, y in sorted(points)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        page.add(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in placed:
            page.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        page.text(WIDTH - RIGHT + 14, TOP + 14 + 18*k, name, "start", colour)
    return page.done()


def bars(title, unit, values, mark=None):
    """values: [(name, value)], positive, on a logarithmic axis; `mark` is a line across. -> SVG."""
    values = [(n, v) for n, v in values if v and v > 0]
    if not values:
        return None
    page = _Page(title)
    low, high = _decades([v for _, v in values] + ([mark] if mark else []) + [1])
    left, across = 230, WIDTH - 230 - 60
    step = min(24, (HEIGHT - TOP - BOTTOM)/len(values))

    def place(v):
        return left + across*(math.log10(v) - low)/(high - low)

    for power in range(low, high + 1):
        page.line(place(10.0**power), TOP, place(10.0**power), HEIGHT - BOTTOM)
        page.text(place(10.0**power), HEIGHT - BOTTOM + 18, _label(power))
    for k, (name, value) in enumerate(values):
        y = TOP + k*step
        start, end = sorted((place(1), place(value)))
        page.add(f'<rect x="{start:.1f}" y="{y + 3:.1f}" width="{max(end - start, 1):.1f}" '
                 f'height="{step - 6:.1f}" fill="{COLOURS[0]}"/>')
        page.text(left - 6, y + step/2 + 4, name, "end")
        page.text(end + 4, y + step/2 + 4, f"{value:.3g}", "start")
    if mark:
        page.line(place(mark), TOP, place(mark), HEIGHT - BOTTOM, COLOURS[1], 2)
    page.text(left + across/2, HEIGHT - 12, unit)
    return page.done()
