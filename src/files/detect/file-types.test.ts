import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { makeDocx, makePdf, makeXlsx } from '../../../test/support/files/make-files.ts';
import { detectFileType, extensionOf } from './file-types.ts';

const CASES: readonly (readonly [what: string, bytes: Uint8Array | string, name: string, type: string])[] = [
  ['a PDF whatever its name', makePdf({ pages: [['x']] }), 'a.txt', 'pdf'],
  ['a Word file whatever its name', makeDocx({ blocks: [] }), 'a.zip', 'docx'],
  ['an Excel file whatever its name', makeXlsx({ sheets: [] }), 'a', 'xlsx'],
  ['RTF whatever its name', '{\\rtf1 x}', 'a.doc', 'rtf'],
  ['a part of an RTF file', '{\\pard x\\par}', 'a.rtf', 'rtf'],
  ['a FictionBook', '<?xml version="1.0"?><FictionBook/>', 'a', 'fb2'],
  ['an archive', zipSync({ 'a.txt': strToU8('x') }), 'a.docx', 'zip'],
  ['a gzip file', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 'a.txt', 'gzip'],
  ['a mail', 'From: a@b.c\n\nx', 'a.eml', 'eml'],
  ['a mail without a name', 'Received: from a\nFrom: a@b.c\n\nx', 'a', 'eml'],
  ['a mail of an archive', 'Message-ID: <1@b.c>\nDate: Tue, 1 May 2001\nFrom: a@b.c\n\nx', '12', 'eml'],
  ['a memo without the headers of a mail', 'To: Ann\nFrom: Bob\n\nx', 'memo', 'txt'],
  ['a mail with an unknown extension', 'Received: from a\n\tby b\nDate: Tue, 1 May 2001\n\nx', 'a.part', 'eml'],
  ['a note that begins as a mail', 'From: Bob\nthis is a note about the rules\nand more of it\n', 'a.rules', 'txt'],
  ['a list that begins as a mail', 'Received: goods list\n\n1 apple', 'note.nfo', 'txt'],
  ['a mail saved as text', 'Received: from a\nDate: Tue, 1 May 2001\nFrom: a@b.c\n\nx', 'a.txt', 'eml'],
  [
    'a mailbox saved as text',
    'From a at b.c  Tue May  1 10:00:00 2001\nFrom: a at b.c\nMessage-ID: <1@b.c>\n\nx',
    'May.txt',
    'mbox',
  ],
  [
    'a mail saved as text with lines of Windows and long headers',
    `Message-ID: <1@b.c>\r\nFrom: a@b.c\r\nReferences: <2@b.c>\r\n${'\t<3@b.c>\r\n'.repeat(500)}\r\nx`,
    'a.txt',
    'eml',
  ],
  ['a log with words of mails', 'time: 10:00\nfrom: 10.1.1.1\nreceived: 512\nstatus: 500\n\nx', 'http.txt', 'txt'],
  ['a log of a mail server', 'From: a@b.c\nReceived: from a\n\nFrom: d@b.c\nReceived: from d\n', 'mail.log', 'txt'],
  ['a ticket', 'Ticket:\nReceived: from Ann\nFrom: Ann\nThe printer is broken.\n\nSolved.', 'a.txt', 'txt'],
  ['headers without an end', 'Message-ID: <1@b.c>\nFrom: Ann\nPrinter: broken.\n', 'a.txt', 'txt'],
  ['a mail saved as text on Windows', 'Received: by a\r\nFrom: a@b.c\r\n\r\nThe printer', 'a.txt', 'eml'],
  [
    'a mail saved as text with folded headers',
    'Message-ID:\n <1@b.c>\nFrom: a@b.c\nReferences: <2@b.c>\n \n <3@b.c>\n\nx',
    'a.txt',
    'eml',
  ],
  ['a list of numbers of messages', 'Message-ID: 17\nFrom: Ann\nState: open\n\nx', 'a.txt', 'txt'],
  [
    'headers of a mail below an empty line',
    'Case: 7\r\n\r\nMessage-ID: <1@b.c>\r\nFrom: a@b.c\r\n\r\nx',
    'a.txt',
    'txt',
  ],
  ['a list of ids without senders', 'Message-ID: <1@b.c>\nState: open\n\nx', 'a.txt', 'txt'],
  ['a note about a mail', 'Notes\n\nFrom: a@b.c\nMessage-ID: <1@b.c>\n\nx', 'a.txt', 'txt'],
  ['a memo named .txt', 'From: Bob\nTo: Ann\nDate: Monday\n\nx', 'a.txt', 'txt'],
  ['a mail in a folder of mails', 'Return-Path: <a@b.c>\n\nx', '1.M2P3.host,S=9:2,S', 'eml'],
  ['subtitles', 'WEBVTT\n', 'a', 'subtitles'],
  ['a calendar', 'BEGIN:VCALENDAR\nEND:VCALENDAR', 'team.ics', 'calendar'],
  ['contacts without a known name', '\ufeffBEGIN:VCARD\r\nFN:A', 'text/vcard', 'calendar'],
  ['HTML named .pdf', '<!DOCTYPE html><p>x', 'a.pdf', 'html'],
  ['HTML named .txt', '\n<html lang="en"><body>x', 'a.txt', 'html'],
  ['Markdown that begins with HTML', '<html>', 'a.md', 'md'],
  ['text without extension', 'plain words', 'README', 'txt'],
  ['Markdown without extension', '# Shed\r\n\r\nA tool.\r\n\r\n## Install\r\n\r\nRun it.\r\n', 'README', 'md'],
  ['settings with comments of two signs', '# Shed\n\nroof = 1\n\n## Walls\nwall = 2\n\n## All\n', 'config', 'txt'],
  ['Markdown named as text', '# Shed\n\nA tool.\n\n## Install\n\nRun it.\n', 'a.txt', 'txt'],
  ['JSON without extension', '{"a":1}', 'data', 'json'],
  ['a JSON array without extension', ' [ 1.5, 2]', 'data', 'json'],
  ['a JSON array of arrays without extension', '[ [["a", 1]]]', 'data', 'json'],
  ['a page of a wiki that begins with a macro', '[[TableOfContents]]\n= Backup\n', 'Backup', 'txt'],
  ['R Markdown', '---\ntitle: Churn\n---\n\n# Churn\n', 'report.Rmd', 'md'],
  ['notes of Evernote', '<en-export/>', 'notes.enex', 'xml'],
  ['a diagram of draw.io', '<mxfile/>', 'a.drawio', 'xml'],
  ['text in braces', '{ Table 1: rows and columns }', 'tables.rtf', 'txt'],
  ['text that begins with a reference', '[1] Smith, 1999', 'notes', 'txt'],
  ['XML without extension', '<?xml version="1.0"?><a/>', 'data', 'xml'],
  ['JSON Lines', '{}', 'a.ndjson', 'jsonl'],
  ['tab-separated values', 'a\tb', 'a.tab', 'tsv'],
  ['program code', 'print(1)', 'x.py', 'code'],
  ['a file with an upper-case extension', 'a,b', 'A.CSV', 'csv'],
  ['a manual page', '.\\" A licence.\n.TH LS 1\n.SH NAME\nls', 'ls.1', 'man'],
  ['a manual page in mdoc with a longer section name', '.Dd May 1, 2020\n.Dt PRINTF 3', 'printf.3posix', 'man'],
  ['a manual page that includes another one', '.so man1/zstd.1\n', 'unzstd.1', 'man'],
  ['notes with a number as their extension', 'Plain words.\n', 'notes.1', 'txt'],
  [
    'AsciiDoc named .txt',
    "git-add(1)\n==========\n\nSYNOPSIS\n--------\n[verse]\n'git add' [-n]\n\n-n::\n\tDry run.\n",
    'git-add.txt',
    'asciidoc',
  ],
  [
    'AsciiDoc with a title of one line',
    '= Guide\n:toc:\n\n== Start\n\n[source,sh]\n----\nls\n----\n',
    'README',
    'asciidoc',
  ],
  ['reStructuredText named .txt', 'Mock\n====\n\n.. note:: It is in the library.\n', 'index.txt', 'rst'],
  [
    'an AsciiDoc part without a title',
    'ifdef::git-log[]\n-p::\n+\nShow the patch.\nendif::[]\n',
    'options.txt',
    'asciidoc',
  ],
  [
    'a manual page in AsciiDoc',
    'gitcli(7)\n=========\n\nNAME\n----\ngitcli - See linkgit:git-add[1].\n',
    'gitcli.txt',
    'asciidoc',
  ],
  ['notes with underlined titles', 'Notes\n=====\n\n* See a::b and C++.\n\nNext\n----\n', 'notes.txt', 'txt'],
  ['notes with wiki titles', '== Notes ==\n\nWords:\n\n+\n', 'notes.txt', 'txt'],
  ['a rule below a text', 'A table of values\n====\n\n.. note:: x\n', 'notes.txt', 'txt'],
  ['translations of Qt', '<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS/>', 'app_de.ts', 'xml'],
  ['settings in XML', '<!DOCTYPE properties SYSTEM "x.dtd"><properties/>', 'a.properties', 'xml'],
  ['a mind map', '<map version="1.0.1">\n<node TEXT="Garden"/></map>', 'garden.mm', 'xml'],
  ['a part of a DocBook manual', '<chapter id="a"><title>A</title></chapter>', 'a.docbook', 'xml'],
  ['a page of PHP', '<?xml version="1.0"?>\n<?php echo 1;', 'a.php', 'code'],
  ['a mailbox with one mail and no line before it', 'MIME-Version: 1.0\nFrom: a@b.c\n\nx', 'a.mbox', 'eml'],
  ['UTF-16 with a mark', Buffer.from('\ufeffabc', 'utf16le'), 'a.csv', 'csv'],
  ['UTF-16 without a mark', Buffer.from('plain words in two bytes each', 'utf16le'), 'a.txt', 'txt'],
];

for (const [what, bytes, name, type] of CASES) {
  test(`the file type of ${what} is ${type}`, async () => {
    assert.equal(await detectFileType(Buffer.from(bytes as string), name), type);
  });
}

const REFUSED: readonly (readonly [what: string, bytes: Uint8Array | string, name: string, message: RegExp])[] = [
  [
    'sound',
    Buffer.from([0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x41, 0x56, 0x45, 0, 0, 0, 13, 0, 0, 0]),
    'a.txt',
    /WAV/,
  ],
  [
    'unknown binary',
    Buffer.from(Array.from({ length: 256 }, (_, i) => (i * 7) % 256)),
    'a.dat',
    /format is not known\. Save it/,
  ],
  [
    'PostScript',
    '%!PS-Adobe-3.0\n/a 1 def\n',
    'a.txt',
    /^FileError: PostScript files cannot be read\. Save the file as PDF\.$/,
  ],
  ['DVI', Buffer.from([0xf7, 2, 1, 0x83, 0x92, 0xc0, ...Buffer.from('words '.repeat(50))]), 'a.dvi', /^FileError: DVI/],
  ['a book for Palm', Buffer.from(`${'x'.repeat(59)}\0BOOKMOBI${'\0'.repeat(40)}`), 'a.prc', /^FileError: Kindle/],
  ['a DjVu book', Buffer.from(`AT&TFORM${'\0'.repeat(40)}`), 'a.djvu', /^FileError: DjVu/],
  ['a web archive', `bplist00\xd1\x01\x02_\x10\x0fWebMainResource${'x'.repeat(99)}`, 'a.webarchive', /Web archive/],
  ['an Access database', Buffer.from(`\0\x01\0\0Standard Jet DB\0${'\0'.repeat(99)}`), 'a.mdb', /Access .* Export/],
  ['a sheet of Excel 4', Buffer.from([9, 4, 6, 0, 0, 0, 0x10, 0, 0, 0]), 'a.xls', /Excel 2 to 4 .* as xlsx/],
  [
    'a dBase table',
    Buffer.from([3, 100, 2, 13, 9, 0, 0, 0, 193, 2, 84, ...Array(21).fill(0), ...Buffer.from('NAME\0\0\0\0\0\0\0C')]),
    'a.dbf',
    /dBase/,
  ],
  ['an empty PDF', '', 'a.pdf', /empty/],
  ['an empty text file', '', 'a.txt', /empty/],
  ['an archive of a bomb', zipSync({ 'a.bin': new Uint8Array(20_000_000) }), 'a.zip', /expands to more than 100 times/],
];

for (const [part, message] of [
  ['Index/Document.iwa', /^Pages, Numbers and Keynote files cannot be read\. Save the file as PDF\.$/],
  ['Deck.key/Index.zip', /^Pages, Numbers and Keynote/],
  ['designmap.xml', /^InDesign/],
  ['visio/document.xml', /^Visio files/],
  ['FixedDocSeq.fdseq', /^XPS files/],
] as const) {
  test(`an archive that contains ${part} is an unsupported format, not a folder of files`, async () => {
    const bytes = zipSync({ [part]: strToU8('x'), 'preview.jpg': strToU8('x') });
    await assert.rejects(detectFileType(bytes, 'a'), (error: Error) => message.test(error.message));
  });
}

for (const [what, bytes, name, message] of REFUSED) {
  test(`${what} is refused with a message that names the reason`, async () => {
    await assert.rejects(detectFileType(Buffer.from(bytes as string), name), message);
  });
}

test('the extension of a name is read from its last path segment only', () => {
  assert.equal(extensionOf('a.b/c'), '');
  assert.equal(extensionOf('dir.x\\File.TXT'), 'txt');
  assert.equal(extensionOf('.env'), '');
});
