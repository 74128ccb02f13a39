"""Writes PDFs that show a secret, with programs that others wrote. Call: foreign.py SECRET FOLDER"""

import io
import sys
from pathlib import Path

import pymupdf
import matplotlib
import typst
from fpdf import FPDF
from pypdf import PdfReader, PdfWriter, Transformation
from reportlab.lib import colors
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.graphics.barcode import code128, qr
from reportlab.graphics.shapes import Drawing
from reportlab.graphics import renderPDF
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

matplotlib.use("pdf")
from matplotlib import pyplot
from matplotlib.patches import PathPatch
from matplotlib.textpath import TextPath

secret, folder = sys.argv[1], Path(sys.argv[2])
fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
sans = str(fonts / "DejaVuSans.ttf")
line = f"The keeper's number is {secret}."
eastern = secret.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
wide = "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in secret)
pdfmetrics.registerFont(TTFont("Sans", sans))


def put(name: str, content: bytes) -> None:
    (folder / f"{name}.pdf").write_bytes(content)


def drawn(draw) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A5, invariant=1)
    draw(page)
    page.save()
    return out.getvalue()


def text_at(page, font: str, text: str = line) -> None:
    page.setFont(font, 12)
    page.drawString(40, 400, "Harbour report")
    page.drawString(40, 300, text)


def in_layout(*flowables) -> bytes:
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A5, invariant=1).build(list(flowables))
    return out.getvalue()


style = getSampleStyleSheet()["BodyText"]
rows = [["Name", "Number"], ["Keeper", secret], ["Lamp", "0000-1111-2222"]]
lines = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)]
plain = drawn(lambda page: text_at(page, "Helvetica"))
put("reportlab standard font", plain)
put("reportlab embedded font", drawn(lambda page: text_at(page, "Sans")))
put("reportlab table", in_layout(Paragraph("Harbour report", style), Table(rows, style=lines)))
put("reportlab paragraph", in_layout(Paragraph(f"{'The lamp burns. ' * 7}<b>{line}</b> {'Ships pass. ' * 9}", style)))
put("reportlab barcode", drawn(lambda page: (text_at(page, "Sans", ""), code128.Code128(secret, barHeight=50).drawOn(page, 20, 250))))


def qr_code(page) -> None:
    text_at(page, "Sans", "")
    drawing = Drawing(150, 150)
    drawing.add(qr.QrCodeWidget(secret, barWidth=150, barHeight=150))
    renderPDF.draw(drawing, page, 40, 100)


put("reportlab square code", drawn(qr_code))


def field(page) -> None:
    text_at(page, "Helvetica", "Number:")
    page.acroForm.textfield(name="number", value=secret, x=40, y=240, width=200, height=24)


put("reportlab form field", drawn(field))


def with_fpdf(make) -> bytes:
    pdf = FPDF(format="A5")
    pdf.add_font("Sans", fname=sans)
    pdf.set_font("Sans", size=12)
    pdf.add_page()
    pdf.write(8, "Harbour report\n\n")
    make(pdf)
    return bytes(pdf.output())


put("fpdf text", with_fpdf(lambda pdf: pdf.write(8, line)))
put("fpdf Arabic", with_fpdf(lambda pdf: (pdf.set_text_shaping(True), pdf.write(8, f"رقم الحارس {eastern} في الميناء"))))
put("fpdf ligatures", with_fpdf(lambda pdf: (pdf.set_text_shaping(True), pdf.write(8, f"The office file: {secret} first"))))


def turn(pdf) -> None:
    with pdf.rotation(35, 60, 120):
        pdf.text(60, 120, secret)


turned_pdf = with_fpdf(turn)
put("fpdf turned", turned_pdf)


def with_mupdf(make) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    page.insert_text((40, 60), "Harbour report", fontsize=12)
    make(document, page)
    return document.tobytes(garbage=3, deflate=True, use_objstms=1)


def scanned(is_searchable: bool) -> bytes:
    def make(document, page) -> None:
        source = pymupdf.open(stream=plain)
        page.insert_image(page.rect, pixmap=source[0].get_pixmap(dpi=120))
        if is_searchable:
            page.insert_text((40, 295), line, fontsize=12, render_mode=3)

    return with_mupdf(make)


def outlined() -> bytes:
    picture = pymupdf.open(stream=plain)[0].get_svg_image(text_as_path=True)
    document = pymupdf.open(stream=pymupdf.open(stream=picture.encode(), filetype="svg").convert_to_pdf())
    document[0].insert_text((40, 60), "Harbour report", fontsize=12)
    return document.tobytes()


def note(document, page) -> None:
    page.add_freetext_annot(pymupdf.Rect(40, 200, 300, 230), secret, fontsize=12)


def layer(document, page) -> None:
    page.insert_text((40, 200), line, oc=document.add_ocg("Layer"))


put("mupdf text", with_mupdf(lambda document, page: page.insert_text((40, 200), line)))
put("mupdf Japanese", with_mupdf(lambda document, page: page.insert_text((40, 200), f"管理人の番号は{wide}です", fontname="japan")))
put("mupdf Chinese", with_mupdf(lambda document, page: page.insert_text((40, 200), f"守护人号码{wide}", fontname="china-s")))
put("mupdf HTML", with_mupdf(lambda document, page: page.insert_htmlbox(pymupdf.Rect(40, 100, 380, 300), f"<p>Office <b>{line}</b></p><p dir=rtl>שומר {secret}</p>")))
put("mupdf annotation", with_mupdf(note))
put("mupdf layer", with_mupdf(layer))
put("mupdf scan", scanned(False))
put("mupdf scan with invisible text", scanned(True))
put("mupdf outlines", outlined())


def with_pypdf(edit) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(plain)))
    edit(writer)
    out = io.BytesIO()
    writer.compress_identical_objects()
    writer.write(out)
    return out.getvalue()


def on_top(writer) -> None:
    other = PdfReader(io.BytesIO(turned_pdf)).pages[0]
    writer.pages[0].merge_transformed_page(other, Transformation().rotate(10).scale(0.8).translate(60, 20))


def crop(writer) -> None:
    page = writer.pages[0].rotate(90)
    page.cropbox.lower_left = (30, 200)


put("pypdf page on a page", with_pypdf(on_top))
put("pypdf turned and cropped", with_pypdf(crop))


def plotted(font_type: int, draw) -> bytes:
    matplotlib.rcParams["pdf.fonttype"] = font_type
    figure, axes = pyplot.subplots(figsize=(5, 4))
    axes.set_title("Harbour report")
    draw(axes)
    out = io.BytesIO()
    figure.savefig(out, format="pdf", metadata={"CreationDate": None})
    pyplot.close(figure)
    return out.getvalue()


put("matplotlib drawn font", plotted(3, lambda axes: axes.text(0.1, 0.5, secret)))
put("matplotlib embedded font", plotted(42, lambda axes: axes.text(0.1, 0.5, secret, rotation=30)))
put("matplotlib outlines", plotted(42, lambda axes: axes.add_patch(PathPatch(TextPath((0.05, 0.4), secret, size=0.08)))))
put("matplotlib marks", plotted(42, lambda axes: axes.plot([int(one) for one in secret if one.isdigit()], "k.-")))


def typeset(source: str) -> bytes:
    path = folder / "source.typ"
    path.write_text("#set page(width: 420pt, height: 595pt)\n#set document(date: none)\n= Harbour report\n" + source)
    content = typst.compile(str(path), font_paths=[str(fonts)])
    path.unlink()
    return content


put("typst text", typeset(line))
put("typst justified", typeset(f"#set par(justify: true)\n#set text(hyphenate: true, size: 20pt)\n{'Ships pass the lighthouse. ' * 5} {line}"))
put("typst table", typeset(f"#table(columns: 2, [Name], [Number], [Keeper], [{secret}])"))
put("typst turned", typeset(f"#rotate(-30deg)[{secret}]"))
put("typst gradient", typeset(f"#text(fill: gradient.linear(red, blue))[#box[{secret}]]"))
