import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from '../xml/xml.ts';
import { parsePo } from './translations.ts';

const PO = `# Polish translation.
msgid ""
msgstr ""
"Project-Id-Version: Shop 2\\n"
"Language: pl\\n"

#. On the button
#: form.py:64
msgid "Attach a file"
msgstr "Dołącz plik"

#, fuzzy
#| msgid "Old"
msgctxt "menu"
msgid ""
"Two "
"lines\\nhere"
msgstr "Dwie \\"linie\\""

msgid "%d mail"
msgid_plural "%d mails"
msgstr[0] "%d list"
msgstr[1] "%d listy"

#~ msgid "Gone"
#~ msgstr "Nie ma"
`;

test('each message of a catalogue is a record with its translations', () => {
  const { text, blocks, title, metadata } = parsePo(PO);
  assert.equal(title, 'Shop 2');
  assert.equal(metadata['language']?.val, 'pl');
  assert.deepEqual(
    blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)]),
    [
      ['paragraph', 'Polish translation.\nProject-Id-Version: Shop 2\nLanguage: pl'],
      ['record', 'source: Attach a file\ntranslation (Polish): Dołącz plik\ncomment: On the button\nplace: form.py:64'],
      ['record', 'source: Two lines\n  here\ntranslation (Polish): Dwie "linie"\ncontext: menu\nstate: fuzzy'],
      ['record', 'source: %d mail\nplural: %d mails\ntranslation (Polish): %d list\ntranslation (Polish): %d listy'],
      ['record', 'source: Gone\ntranslation (Polish): Nie ma\nstate: obsolete'],
    ],
  );
  assert.equal(parsePo('no catalogue').blocks[0]!.kind, 'paragraph');
});

test('each unit of XLIFF and of a translation memory is a record', () => {
  const xliff = (version: string, inside: string) =>
    `<xliff version="${version}"${version === '2.0' ? ' srcLang="en" trgLang="fi"' : ''}>${inside}</xliff>`;
  const units = {
    '1.2':
      '<file original="a.po" target-language="fi"><body><trans-unit id="1"><source>Sign <g>Up</g></source><target state="needs-review">Rekisteröidy</target><note>Button</note></trans-unit></body></file>',
    '2.0':
      '<file id="a.po"><unit id="1"><notes><note>Button</note></notes><segment state="needs-review"><source>Sign Up</source><target>Rekisteröidy</target></segment></unit></file>',
  };
  for (const [version, inside] of Object.entries(units)) {
    assert.equal(
      parseXml(xliff(version, inside), []).text,
      '# a.po\n\nsource: Sign Up\ntranslation (Finnish): Rekisteröidy\nstate: needs-review\ncomment: Button',
    );
  }
  const tmx = parseXml(
    '<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>or</seg></tuv><tuv xml:lang="fi"><seg>tai</seg></tuv></tu></body></tmx>',
    [],
  );
  assert.deepEqual([tmx.text, tmx.blocks[0]!.kind], ['en: or\nfi: tai', 'record']);
});

test('a unit of XLIFF has its names as key, but no number, no hash and not its own text', () => {
  const units = [
    'id="login.submit" resname="login_button"><source>Sign in',
    'id="7"><source>Seven',
    'id="0a1b2c3d4e5f60718293"><source>Hash',
    'id="Cancel"><source>Cancel',
  ].map((unit) => `<trans-unit ${unit}</source></trans-unit>`);
  const { text } = parseXml(`<xliff version="1.2"><file><body>${units.join('')}</body></file></xliff>`, []);
  const records = [
    'source: Sign in\nkey: login_button, login.submit',
    'source: Seven',
    'source: Hash',
    'source: Cancel',
  ];
  assert.equal(text, records.join('\n\n'));
});

test('a message of Qt Linguist has its id as key', () => {
  const xml =
    '<TS language="fi"><context><name/><message id="save-label"><source/><translation>Tallenna</translation></message></context></TS>';
  assert.equal(parseXml(xml, []).text, 'translation (Finnish): Tallenna\nkey: save-label');
});

test('each message of Qt Linguist is a record with its context and its plural forms', () => {
  const message = (source: string, translation: string) =>
    `<message><source>${source}</source>${translation}</message>`;
  const many = message(
    '%n file(s)',
    '<translation type="unfinished"><numerusform>%n plik</numerusform><numerusform>%n pliki</numerusform></translation>',
  );
  const xml = `<?xml version="1.0"?><!DOCTYPE TS><TS language="pl_PL"><context><name>Menu</name>${message('Open', '<translation>Otwórz</translation>')}${many}</context></TS>`;
  assert.deepEqual(parseXml(xml, []).text.split('\n\n'), [
    'source: Open\ntranslation (Polish (Poland)): Otwórz\ncontext: Menu',
    'source: %n file(s)\ntranslation (Polish (Poland)): %n plik\n  %n pliki\ncontext: Menu\nstate: unfinished',
  ]);
});
