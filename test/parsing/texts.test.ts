/** Tests of text formats: markups, notebooks, subtitles, XHTML, mail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { processFile } from '../../src/files/sandbox/process-file.ts';
import { fixture } from '../support/files/fixtures.ts';
import { endedCleanly, failureOf, processBytes, readBytes } from '../support/files/process-bytes.ts';

const NOTE = 'Agreed with the works council in 2023.';

for (const name of ['handbook.org', 'handbook.rst', 'handbook.adoc', 'handbook.tex', 'handbook.xhtml']) {
  test(`${name} is read with its headings, lists, tables and notes`, async () => {
    const { text, fileType } = await readBytes(name, fixture(name));
    assert.equal(fileType, name.endsWith('xhtml') ? 'html' : 'txt');
    assert.deepEqual(
      text
        .match(/^#+ .*$/gm)!
        .map((line) => line.replace(/^#+ /, ''))
        .slice(-3),
      ['Leave', 'Requests', 'Contacts'],
    );
    assert.match(text.replace(/\s+/g, ' '), new RegExp(NOTE));
    assert.match(
      text,
      /^- +Ask in writing\n\n? +- +by mail\n\n? +- +by letter\n\n1\. First the team\n2\. Then the office$/m,
    );
    assert.match(
      text.replace(/ +/g, ' '),
      /\| Team \| Contact \| Phone \|\n\|( ?---+ ?\|){3}\n\| Sales \| Bo \| 12 \|/,
    );
    assert.match(text, /See the intranet for details\./);
    assert.doesNotMatch(text, /PROPERTIES|hypertarget|tightlist|https:/);
  });
}

test('text formats with markup that is never closed are read in linear time', async () => {
  const pieces = [
    '[[',
    '*a ',
    '\\begin{verbatim}',
    '\\textbf{',
    '`a <',
    '|===\n',
    '.. a::\n',
    '\\begin{tabular}{l}',
    ':PROPERTIES:\n',
    '+--',
    '=== ',
  ];
  for (const name of ['a.org', 'a.rst', 'a.adoc', 'a.tex']) {
    for (const piece of pieces)
      assert.ok(endedCleanly(await processBytes(name, piece.repeat(20_000))), `${name} ${piece}`);
  }
});

test('the terms of a very long title are not repeated in every chunk', async () => {
  const title = Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ');
  const { chunks } = await readBytes('a.md', `# ${title}\n\n${'## Part\n\nIt has some text.\n\n'.repeat(100)}`);
  const last = chunks.at(-1)!.terms;
  assert.match(last, /\bw1\b/);
  assert.doesNotMatch(last, /\bw200\b/);
});

test('a notebook gives its texts, its code with the language, and its printed output', async () => {
  const { text, fileType } = await readBytes('code.ipynb', fixture('code.ipynb'));
  assert.equal(fileType, 'ipynb');
  assert.match(text, /^# Command line\n\nRun `serve` first/);
  const cell = {
    cell_type: 'code',
    source: ['print(1)\n', 'x'],
    outputs: [{ text: ['\u001b[31m1\u001b[0m\n'] }, { data: { 'text/plain': '2', 'image/png': 'AAAA' } }],
  };
  const notebook = { cells: [cell], metadata: { language_info: { name: 'julia' } } };
  const printed = await readBytes('b.ipynb', JSON.stringify(notebook));
  assert.equal(printed.text, '```julia\nprint(1)\nx\n```\n\n```\n1\n```\n\n```\n2\n```');
  const shown = {
    cell_type: 'code',
    source: 'y',
    outputs: [{ data: { 'text/markdown': ['**two**'], 'text/plain': '<x>' } }],
  };
  const about = { kernelspec: { language: 'R' }, title: 'Trial', authors: [{ name: 'Ann' }, { name: 'Bo' }] };
  const named = await readBytes('c.ipynb', JSON.stringify({ cells: [shown], metadata: about }));
  assert.equal(named.text, '```R\ny\n```\n\n**two**');
  assert.deepEqual([named.metadata['title']?.val, named.metadata['author']?.val], ['Trial', 'Ann, Bo']);
  assert.match((await failureOf('a.ipynb', '[1, 2')).message, /notebook/);
});

test('grid and simple tables of reStructuredText are read, and unclosed tables in linear time', async () => {
  const grid = '+---+----+\n| a | b  |\n+===+====+\n| 1 | 2  |\n+---+----+\n';
  assert.equal((await readBytes('a.rst', grid)).text, '| a | b |\n| --- | --- |\n| 1 | 2 |');
  assert.ok((await processBytes('a.rst', '=== ===\nx\n'.repeat(20_000))).ok);
});

test('a mail gives its headers, its text and the names of its attachments', async () => {
  const part = (headers: string, body: string) => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
  const mail = (parts: string, subject = '=?utf-8?B?R3LDvMOfZQ==?=') =>
    `From: "Ann" <ann@example.com>\r\nTo: bo@example.com, Team: c@example.com, d@example.com;\r\nSubject: ${subject}\r\nDate: Tue, 02 Jan 2024 03:04:05 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`;
  const file = await readBytes(
    'mail.eml',
    mail(
      part(
        'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable',
        'Caf=E9\r\n\r\nSecond.',
      ) + part('Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"', 'x'),
    ),
  );
  assert.equal(
    file.text,
    'From: Ann <ann@example.com>\nTo: bo@example.com, c@example.com, d@example.com\nDate: 2024-01-02 03:04 +01:00 (Tuesday, January 2, 2024)\nSubject: Grüße\n\nCafé\n\nSecond.\n\nAttachments:\n- a.pdf',
  );
  assert.equal(file.metadata['created']?.val, '2024-01-02T02:04:05Z');
  assert.equal(file.metadata['title']?.val, 'Grüße');
  const html = await readBytes('mail', mail(part('Content-Type: text/html', '<h1>Hi</h1><p>there</p>'), 'x'));
  assert.match(html.text, /# Hi\n\nthere$/);
  const page = await readBytes('page.mhtml', mail(part('Content-Type: text/html', '<h1>Hi</h1><p>there</p>')));
  assert.equal(page.text, '# Hi\n\nthere');
  assert.equal(page.fileType, 'html');
});

test('an Outlook message gives its headers, its text, and its attachments as files', async () => {
  const members: string[] = [];
  const outcome = await processBytes('mail.msg', fixture('mail.msg'), [], async ({ name, bytes }) => {
    members.push(`${name}: ${Buffer.from(bytes)}`);
  });
  assert.ok(outcome.ok);
  assert.equal(outcome.file.fileType, 'eml');
  assert.equal(
    outcome.file.text,
    'From: Ann Example <ann@example.com>\nTo: Bo\nCc: Cy\nDate: 2024-01-02 03:04 UTC (Tuesday, January 2, 2024)\nSubject: Grüße vom Fluss\n\nDer Reiher nistet am Fluss.\n\nBis bald, Ann.\n\nAttachments:\n- birds.csv',
  );
  assert.deepEqual(members, ['birds.csv: bird,count\nheron,3\n']);
});

test('an encrypted compound file fails as encrypted, and damaged ones fail cleanly', async () => {
  assert.match((await failureOf('a.docx', fixture('encrypted.docx'))).message, /password/);
  const whole = fixture('mail.msg');
  for (const share of [0.05, 0.3, 0.6, 0.9]) await processBytes('a.msg', whole.subarray(0, whole.length * share));
  // Circular chains and directories.
  const circles = Uint8Array.from(whole);
  new DataView(circles.buffer).setUint32(512, 0, true);
  for (let at = 512; at + 4 < circles.length; at += 512) new DataView(circles.buffer).setUint32(at + 68, 0, true);
  await processBytes('a.msg', circles);
});

test('a longtable of LaTeX has its caption, and its header once', async () => {
  const head = '\\toprule\nBerth & Owner \\\\\n\\midrule\n';
  const text = (rows: string) =>
    `\\documentclass{article}\\begin{document}\n\\begin{longtable}[]{@{}ll@{}}\n${rows}\n\\end{longtable}\n\\end{document}`;
  const long = `\\caption{Berths of \\emph{pier} A}\\tabularnewline\n${head}\\endfirsthead\n${head}\\endhead\nContinues \\\\\n\\endfoot\nAll berths \\\\\n\\endlastfoot\nA1 & Petra \\\\\nA2 & Quirin \\\\`;
  const table = '| Berth | Owner |\n| --- | --- |\n| A1 | Petra |\n| A2 | Quirin |';
  assert.equal((await readBytes('a.tex', text(long))).text, `Berths of pier A\n\n${table}\n| All berths |`);
  assert.equal((await readBytes('a.tex', text(`${head}\\endhead\nA1 & Petra \\\\\nA2 & Quirin \\\\`))).text, table);
});

test('a block quote after an empty comment of reStructuredText is kept, and a comment is not', async () => {
  const text =
    'One.\n\n..\n\n   A quoted rule.\n\n.. A comment\n   of two lines.\n\n..\n   Another comment.\n\nAfter.\n';
  assert.equal((await readBytes('a.rst', text)).text, 'One.\n\nA quoted rule.\n\nAfter.');
});

test('a formula of an OpenDocument text is kept if its address ends with a slash', async () => {
  const body = '<text:p>Formula <draw:frame><draw:object xlink:href="Formula-0/"/></draw:frame> and more.</text:p>';
  const bytes = zipSync({
    mimetype: [strToU8('application/vnd.oasis.opendocument.text'), { level: 0 }],
    'content.xml': strToU8(
      `<office:document-content><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ),
    'Formula-0/content.xml': strToU8('<math><mi>E</mi><mo>=</mo><mi>m</mi></math>'),
    'META-INF/manifest.xml': strToU8('<manifest/>'),
  });
  assert.match((await readBytes('a.odt', bytes)).text, /^Formula \$E ?= ?m\$ and more\.$/);
});

test('subtitles give spoken text in paragraphs by speaker and pause', async () => {
  const vtt = `WEBVTT\n\nNOTE written by hand\n\n00:01.000 --> 00:02.000 align:left\n<v Ann>One &amp;\ntwo\n\n2\n00:02.000 --> 00:03.000\n<v Ann><i>three.</i>\n
00:03.000 --> 00:04.000\n<v Bo>Four.\n\n00:00:30.000 --> 00:00:31.000\n<v Bo>Later.\n`;
  assert.equal(
    (await readBytes('a.vtt', vtt)).text,
    '00:00:01 Ann: One & two three.\n\n00:00:03 Bo: Four.\n\n00:00:30 Bo: Later.',
  );
  const srt = '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}Hello\n\n2\n00:00:02,100 --> 00:00:03,000\n<b>world</b>\n';
  assert.equal((await readBytes('a.srt', srt)).text, '00:00:01 Hello world');
  const whole = '1\n00:00:01 --> 00:00:02\nHello\n\n2\n00:00:09 --> 00:00:10\nworld\n';
  assert.equal(
    (await readBytes('a.srt', whole)).text,
    '00:00:01 Hello\n\n00:00:09 world',
    'times without milliseconds',
  );
  const event = (at: number, name: string, text: string) =>
    `Dialogue: 0,0:00:0${at}.00,0:00:0${at + 1}.00,Top,${name},0,0,0,,${text}\n`;
  const lines =
    event(5, '', '{\\p1}m 0 0 l 1 1') +
    event(2, 'Bo', 'Four, five.') +
    event(1, 'Ann', '{\\pos(1,2)}One\\Ntwo') +
    'Comment: x\n';
  const ass = `[Script Info]\nTitle: T\n\n[V4+ Styles]\nFormat: Name, Bold\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n${lines}`;
  assert.equal((await readBytes('a.ass', ass)).text, '00:00:01 Ann: One two\n\n00:00:02 Bo: Four, five.');
  assert.equal((await readBytes('a.sub', '{10}{20}Hello|you\n{30}{40}{y:i}again\n')).text, '00:00:00 Hello you again');
  const rated = '{1}{1}50.000\n{10}{20}Hello\n{120}{130}again\n';
  assert.equal(
    (await readBytes('a.sub', rated)).text,
    '00:00:00 Hello again',
    'the first line says the frames per second',
  );
  const spoken = ['Before.', 'Dialogue: the art of talking.', '[Events]', 'Dialogue: 0,0:00:01.00,0:00:02.00,x'];
  const cues = spoken.map((line, at) => `00:0${at}.000 --> 00:0${at + 1}.000\n${line}\n`).join('\n');
  const words = `00:00:00 Before.\n\n00:00:01 ${spoken[1]} [Events]\n\n00:00:03 ${spoken[3]}`;
  assert.equal((await readBytes('a.vtt', `WEBVTT\n\n${cues}`)).text, words, 'words like those of ASS');
  assert.equal((await readBytes('a.sbv', `0:00:01.000,0:00:02.000\n${spoken[1]}\n`)).text, `00:00:01 ${spoken[1]}`);
  assert.equal(
    (await readBytes('a.sbv', '0:00:01.000,0:00:02.000\nHello\n\n0:00:02.100,0:00:03.000\nyou\n')).text,
    '00:00:01 Hello you',
  );
});

test('lines that subtitles repeat are read once, and each person who speaks has a paragraph', async () => {
  const cue = (from: string, to: string, words: string) => `${from}.000 --> ${to}.000\n${words}\n`;
  const rolling = [
    cue('04:46', '04:47', 'it was'),
    cue('04:47', '04:48', 'it was\n<c>as</c> I said\n'),
    cue('04:48', '04:49', 'as I said\nagain'),
  ].join('');
  assert.equal((await readBytes('a.vtt', `WEBVTT\n\n${rolling}`)).text, '00:04:46 it was as I said again');
  const late = `${cue('01:00:01', '01:00:02', 'No.')}\n${cue('01:00:03', '01:00:04', 'No.')}`;
  assert.equal((await readBytes('a.srt', late)).text, '01:00:01 No. No.', 'words that are spoken again');
  const numbered = `1\n${cue('00:01', '00:02', 'One\n2')}${cue('00:02', '00:03', 'two')}`;
  assert.equal(
    (await readBytes('a.srt', numbered)).text,
    '00:00:01 One two',
    'cues without an empty line between them',
  );
  const turns = `${cue('00:01', '00:02', 'SPEAKER_01: Yes?')}\n${cue('00:02', '00:03', 'SPEAKER_02: No.')}`;
  assert.equal((await readBytes('a.srt', turns)).text, '00:00:01 SPEAKER_01: Yes?\n\n00:00:02 SPEAKER_02: No.');
  const answers = `${cue('00:01', '00:02', '<v Bob>Yes.')}\n${cue('00:02', '00:03', '<v Cid>Yes.')}`;
  assert.equal((await readBytes('a.vtt', `WEBVTT\n\n${answers}`)).text, '00:00:01 Bob: Yes.\n\n00:00:02 Cid: Yes.');
});

test('captions without full stops have a time every few lines', async () => {
  const cues = Array.from(
    { length: 60 },
    (_, i) => `00:${10 + i}.000 --> 00:${11 + i}.000\nsome words about part ${i}\n`,
  );
  const { text } = await readBytes('a.vtt', `WEBVTT\n\n${cues.join('\n')}`);
  const paragraphs = text.split('\n\n');
  assert.equal(paragraphs.length, 3);
  assert.ok(paragraphs.every((part) => /^00:0[01]:\d\d some words/.test(part) && part.length < 650));
});

test('an abstract inside of a LaTeX document is read once', async () => {
  const tex = String.raw`\documentclass{a}\begin{document}\abstract{We show trees.} Words.\end{document}`;
  assert.equal((await readBytes('a.tex', tex)).text, 'We show trees. Words.');
});

test('LaTeX files keep the words of their own commands, and code of knitr', async () => {
  const tex = String.raw`\documentclass{article}
\newcommand{\base}{Deep}\newcommand{\method}{\base{}Parser} \def\be{\begin{equation}}
\providecommand{\tightlist}{\setlength{\itemsep}{0pt}}
\title{The \method{} of \emph{{deep}} trees}
\Abstract{% a remark
We show \emph{more} trees.}
\begin{document}
    Indented words of \method{} stay a paragraph.

\tightlist
\verb|\method| is a command.

<<chunk, echo=FALSE>>=
x <- c(1, 2)
@
After the code.
\end{document}`;
  assert.equal(
    (await readBytes('a.Rnw', tex)).text,
    '# The DeepParser of deep trees\n\nWe show more trees.\n\nIndented words of DeepParser stay a paragraph.\n\n' +
      '`\\method` is a command.\n\n```\nx <- c(1, 2)\n```\n\nAfter the code.',
  );
});

test('only the first chunk of a file with a title is found by the name of the file', async () => {
  const text = `# Figures\n\n${'Turnover rose by four percent in the third quarter of the year. '.repeat(120)}`;
  const { chunks } = await readBytes('Quarzbericht_2023.md', text);
  assert.ok(chunks.length > 1);
  assert.deepEqual(
    chunks.flatMap(({ terms }, i) => (terms.includes('quarzbericht') ? [i] : [])),
    [0],
  );
});

test('a page that only leads to another page is no failure, and one that loads itself again has chunks', async () => {
  const bytes = Buffer.from(
    '<html><head><meta http-equiv="refresh" content="0; url=b.html"></head><body>See B.</body></html>',
  );
  const read = (name: string) => processFile({ name, size: bytes.length, chunkMetadataKeys: [] }, bytes);
  const outcome = await read('a.html');
  assert.ok(outcome.ok);
  assert.deepEqual([outcome.file.chunks, outcome.file.warnings], [[], ['The page only leads to another page.']]);
  const itself = await read('b.html');
  assert.equal(itself.ok && itself.file.text, 'See B.');
});
