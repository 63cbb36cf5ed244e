"""Our own charts as PNG, with a font that comes along: a server often has none."""

FONT = "Source Sans Pro"
SCALE = 3.0  # pixels a unit of the drawing: sharp in print


def png(svg: str, scale: float = SCALE) -> bytes:
    from font_source_sans_pro import font_files_ttf as files
    from resvg_py import svg_to_bytes

    return svg_to_bytes(
        svg_string=svg,
        background="white",
        zoom=scale,
        skip_system_fonts=True,
        font_files=[files["SourceSansPro"], files["SourceSansProSemibold"]],
        font_family=FONT,
        sans_serif_family=FONT,
    )
