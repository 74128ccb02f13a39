#!/bin/sh
# Writes the archives of test/parsing/fixtures/zip with the tools people use (Debian packages zip, p7zip-full, libarchive-tools,
# default-jdk-headless, python3). The results are checked in.
set -eu
out="$(cd "$(dirname "$0")/../test/parsing/fixtures/zip" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
rm -f "$out"/*
mkdir -p docs/empty __MACOSX/docs
printf 'The heron nests by the river.\n' >docs/heron.txt
printf 'name,count\nheron,3\n' >'docs/Vögel.csv'
printf '\0\5\26\7' >__MACOSX/docs/._heron.txt
printf 'x' >docs/.DS_Store
touch -d '2024-01-02 03:04:05 UTC' docs docs/* __MACOSX/docs/._heron.txt

zip -qr "$out/infozip.zip" docs/heron.txt docs/Vögel.csv docs/empty
zip -qr0 "$out/infozip-stored.zip" docs/heron.txt docs/Vögel.csv
zip -qr - docs/heron.txt docs/Vögel.csv | cat >"$out/infozip-stream.zip"
zip -qr -P secret "$out/infozip-password.zip" docs/heron.txt docs/Vögel.csv
zip -qr "$out/macos.zip" docs/heron.txt docs/Vögel.csv docs/.DS_Store __MACOSX
printf 'Made by hand.\n' | zip -qr -z "$out/comment.zip" docs/heron.txt docs/Vögel.csv >/dev/null
7z a -bd -y "$out/7zip.zip" docs/heron.txt docs/Vögel.csv >/dev/null
seq 1 2000 >docs/numbers.txt
7z a -bd -y -mm=Deflate64 "$out/7zip-deflate64.zip" docs/numbers.txt >/dev/null
bsdtar --format zip -cf "$out/bsdtar.zip" docs/heron.txt docs/Vögel.csv
jar cfM "$out/jar.zip" docs/heron.txt docs/Vögel.csv
zip -q inner.zip docs/heron.txt docs/Vögel.csv
bsdtar -czf middle.tgz inner.zip
zip -q "$out/nested.zip" middle.tgz
python3 - "$out" <<'PYTHON'
import sys, zipfile

out = sys.argv[1]
TEXTS = {'docs/heron.txt': b'The heron nests by the river.\n', 'docs/V\u00f6gel.csv': b'name,count\nheron,3\n'}


class Encoded(zipfile.ZipInfo):
    """A name in an old encoding, which nothing in the archive tells."""

    encoding = 'cp437'

    def _encodeFilenameFlags(self):
        return self.filename.encode(self.encoding), self.flag_bits & ~0x800


def write(name, entries, info=zipfile.ZipInfo, **options):
    with zipfile.ZipFile(f'{out}/{name}', 'w', zipfile.ZIP_DEFLATED, **options) as archive:
        for path, data in entries.items():
            archive.writestr(info(path, (2024, 1, 2, 3, 4, 4)), data)


write('python-utf8.zip', TEXTS)
write('python-cp437.zip', {**TEXTS, 'docs/p\u00e8re \u00dcbergr\u00f6\u00dfe.txt': b'Words.\n'}, Encoded)
Encoded.encoding = 'shift_jis'
write('python-shift-jis.zip', {'\u8cc7\u6599/\u8b70\u4e8b\u9332.txt': b'Words.\n'}, Encoded)
write('windows-paths.zip', TEXTS)
data = open(f'{out}/windows-paths.zip', 'rb').read().replace(b'docs/', b'docs\\')
open(f'{out}/windows-paths.zip', 'wb').write(data)
write('empty.zip', {})
zipfile.ZIP64_LIMIT = 4
zipfile.ZIP_FILECOUNT_LIMIT = 1
write('python-zip64.zip', TEXTS)
PYTHON
