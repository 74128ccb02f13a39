#!/bin/sh
# Writes the files of test/parsing/fixtures from their Markdown sources, with pandoc and LibreOffice (Debian packages
# pandoc, libreoffice-writer, libreoffice-calc, libreoffice-impress). The results are checked in.
# scan.png, scan.tiff and scan.pdf are pictures of two printed pages, written with Pillow.
# mail.msg is by @tutao/oxmsg, encrypted.docx by msoffcrypto-tool from handbook.docx.
set -eu
cd "$(dirname "$0")/../test/parsing/fixtures"
export SOURCE_DATE_EPOCH=1704164645

# office <output> <format> <input>: by LibreOffice
office() {
  soffice --headless --convert-to "$2" --outdir office "$3" >/dev/null 2>&1
  mv "office/$(basename "${3%.*}").${2%%:*}" "$1"
}

for name in handbook code german japanese arabic greek-russian quotes prices levels prose; do
  pandoc -s "$name.md" -o "$name.odt"
  pandoc -s --metadata=title="$name" "$name.md" -o "$name.epub"
done
for format in docx rtf fb2 org rst tex; do pandoc -s handbook.md -o "handbook.$format"; done
pandoc -s handbook.md -t asciidoc -o handbook.adoc
pandoc -s handbook.md -t html -o handbook.xhtml
pandoc -s notes.md -o notes.docx
pandoc -s code.md -o code.ipynb
pandoc -s slides.md -o slides.pptx
office office.odp odp slides.pptx
office slides.ppt ppt slides.pptx
gzip -9n slides.ppt
office office.pptx pptx office.odp
office office.odt odt handbook.docx
office office.rtf rtf handbook.docx
office office.ods ods prices.csv
office office.xlsx xlsx office.ods
office office.doc doc:"MS Word 97" handbook.docx
office office.xls xls:"MS Excel 97" office.xlsx
rmdir office
