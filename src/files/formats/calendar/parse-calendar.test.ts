import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCalendar } from './parse-calendar.ts';

const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\n');
const calendar = (...entries: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...entries, 'END:VCALENDAR'].join('\n');
const contact = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD'].join('\n');
const textsOf = (source: string) => {
  const { text, blocks } = parseCalendar(source);
  return blocks.map(({ start, end }) => text.slice(start, end));
};

test('each event of a calendar is a block of readable lines, without alarms and time zones', () => {
  const zone =
    'BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nBEGIN:STANDARD\nDTSTART:19701025T030000\nEND:STANDARD\nEND:VTIMEZONE';
  const alarm = 'BEGIN:VALARM\nDESCRIPTION:Reminder\nEND:VALARM';
  const review = event(
    'DTSTART;TZID="Europe/Berlin":20260209T140000',
    'DTEND;TZID=Europe/Berlin:20260209T153010',
    alarm,
    'SUMMARY:Quarterly\\, review\\; "works" coun',
    ' cil',
    'LOCATION:Room Aurora\\, 3rd\\nfloor',
    'DESCRIPTION:Agenda:\\n1. Over',
    '\ttime\\\\n',
    'ORGANIZER;CN="Brandt: Helga":MAILTO:helga@a.example',
    'ATTENDEE:mailto:bo@a.example',
    'RRULE:FREQ=MONTHLY;INTERVAL=3;UNTIL=20261231T000000Z;BYDAY=2MO',
  );
  const { text, blocks, title, fileType } = parseCalendar(
    calendar('X-WR-CALNAME:Team', zone, review, event('SUMMARY:Next')),
  );
  assert.deepEqual([title, fileType, blocks.length], ['Team', 'txt', 2]);
  assert.equal(
    text,
    'Quarterly, review; "works" council\nStart: 2026-02-09 14:00 (Europe/Berlin) – Monday, February 9, 2026\n' +
      'End: 2026-02-09 15:30:10 (Europe/Berlin)\n' +
      'Repeats: monthly, interval 3, until 2026-12-31 00:00 (UTC), by day 2MO\nLocation: Room Aurora, 3rd floor\n' +
      'Organizer: Brandt: Helga <helga@a.example>\nAttendee: bo@a.example\nDescription: Agenda:\n1. Overtime\\n\n\nNext',
  );
});

test('the end of an event of whole days is its last day, and a duration is written in words', () => {
  const days = (from: string, to: string) => event('SUMMARY:x', `DTSTART;VALUE=DATE:${from}`, `DTEND;VALUE=DATE:${to}`);
  assert.deepEqual(textsOf(days('20260501', '20260502')), ['x\nStart: 2026-05-01 – Friday, May 1, 2026']);
  assert.deepEqual(textsOf(days('20260228', '20260302')), [
    'x\nStart: 2026-02-28 – Saturday, February 28, 2026\nEnd: 2026-03-01',
  ]);
  assert.deepEqual(textsOf(event('SUMMARY:x', 'DURATION:P1DT1H30M')), ['x\nDuration: 1 day 1 h 30 min']);
});

test('contacts have their name, telephones, mails and addresses, in old and new forms', () => {
  const current = contact(
    'VERSION:3.0',
    'N:Raman;Priya;;;',
    'item1.TEL;TYPE=WORK,VOICE;TYPE=pref:+49 30 5550',
    'item1.X-ABLabel:Desk',
    'TEL;VALUE=uri;TYPE="cell,home":tel:+49-170-1',
    'EMAIL;TYPE=INTERNET:priya@a.example',
    'ORG:Northwind\\, Ltd;Product',
    'FN:Priya Raman',
    'ADR;TYPE=home:;;Main St 1;Oslo;;0150;Norway',
    'PHOTO;ENCODING=b;TYPE=JPEG:AAAA',
    ' BBBB',
    'NOTE:Speaks Tamil',
  );
  const old = contact(
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gro=C3=9F;J=C3=BCrgen',
    'TEL;WORK;FAX:+49 30 9999',
    'NOTE;QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gr=FC=',
    '=DFe=0D=0Aaus Ulm',
  );
  assert.deepEqual(textsOf(`${current}\n${old}`), [
    'Priya Raman\nOrganization: Northwind, Ltd, Product\nPhone (work): +49 30 5550\nPhone (cell, home): +49-170-1\n' +
      'Mail: priya@a.example\nAddress (home): Main St 1, Oslo, 0150, Norway\nNote: Speaks Tamil',
    'Jürgen Groß\nPhone (work, fax): +49 30 9999\nNote: Grüße\naus Ulm',
  ]);
});

test('an entry that is never closed is kept, and a file without entries is plain text', () => {
  assert.deepEqual(textsOf('BEGIN:VCARD\nFN:Ann\nBEGIN:VCARD\nFN:Bo'), ['Ann', 'Bo']);
  assert.deepEqual(textsOf('Just words: here.\n\nAnd here.'), ['Just words: here.', 'And here.']);
});

test('very long lines and very many entries of a calendar are read in linear time', () => {
  const long = parseCalendar(
    event(`SUMMARY:${'x'.repeat(5_000_000)}`, ...Array<string>(100_000).fill(' y'), 'LOCATION:Oslo'),
  );
  assert.ok(long.text.length < 70_000 && long.text.endsWith('\nLocation: Oslo'));
  const many = parseCalendar(event('SUMMARY:x').concat('\n').repeat(30_000));
  assert.deepEqual(
    [many.blocks.at(0)!.kind, many.blocks.at(-1)!.kind, many.blocks.length],
    ['record', 'paragraph', 30_000],
  );
  for (const piece of [
    'BEGIN:X\n',
    'END:VCARD\n',
    'ATTENDEE;\n',
    'A;QUOTED-PRINTABLE:=\n',
    ';"',
    '\\',
    `${'TYPE=;'.repeat(600)}:\n`,
  ])
    parseCalendar(`BEGIN:VCARD\nADR${piece.repeat(piece.length > 100 ? 500 : 100_000)}`);
});

test('an event of one whole day has no length, and one week is one week', () => {
  const event = (lines: string) =>
    parseCalendar(`BEGIN:VCALENDAR\nBEGIN:VEVENT\n${lines}\nEND:VEVENT\nEND:VCALENDAR`).text;
  assert.equal(
    event('SUMMARY:Neujahr\nDTSTART;VALUE=DATE:20260101\nDURATION:P1D'),
    'Neujahr\nStart: 2026-01-01 – Thursday, January 1, 2026',
  );
  assert.match(event('SUMMARY:Fair\nDTSTART;VALUE=DATE:20260101\nDURATION:P1W'), /Duration: 1 week$/);
  assert.match(event('SUMMARY:Talk\nDTSTART:20260101T100000Z\nDURATION:P1DT2H1S'), /Duration: 1 day 2 h 1 s$/);
});

test('days are also in words, in the language of the entries, and a day that does not exist is in digits alone', () => {
  const note = 'DESCRIPTION:Wir treffen uns am Bahnhof, und die Karten sind schon bezahlt.';
  const [trip] = textsOf(calendar(event('SUMMARY:Ausflug', 'DTSTART;VALUE=DATE:20260305', note)));
  assert.match(trip!, /^Start: 2026-03-05 – Donnerstag, 5\. März 2026$/m);
  assert.deepEqual(textsOf(contact('FN:Ann', 'BDAY:1980-03-05')), ['Ann\nBirthday: 1980-03-05 – March 5, 1980']);
  assert.deepEqual(textsOf(contact('FN:Ann', 'BDAY:--0305')), ['Ann\nBirthday: --0305']);
  assert.deepEqual(textsOf(event('SUMMARY:x', 'DTSTART:20261345T100000')), ['x\nStart: 2026-13-45 10:00']);
});

test('the days of very many events are written by one formatter, because it takes long to make one', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat').mock;
  const many = Array.from({ length: 1_000 }, (_, i) => event('SUMMARY:x', `DTSTART:202603${10 + (i % 20)}`));
  assert.match(parseCalendar(calendar(...many)).text, /Sunday, March 29, 2026$/);
  assert.ok(made.callCount() <= 1);
});

test('a file of one contact or event has its name as title', () => {
  const file = (source: string) => parseCalendar(source);
  assert.equal(file(contact('TEL:1', 'FN:Ann Lee')).title, 'Ann Lee');
  assert.equal(file(contact('N:Lee;Ann;;;')).metadata['title']?.val, 'Ann Lee');
  assert.equal(file(calendar(event('SUMMARY:Fair', 'LOCATION:Ulm'))).title, 'Fair');
  assert.equal(file(`${contact('FN:Ann')}\n${contact('FN:Bo')}`).title, undefined);
  assert.equal(file(contact('TEL:1')).title, undefined);
});

test('contacts have their messengers, relatives and days', () => {
  const [text] = textsOf(
    contact(
      'FN:Ann',
      'IMPP;TYPE=home:xmpp:ann@a.example',
      'X-SKYPE:ann.lee',
      'ANNIVERSARY:20090808',
      'RELATED;TYPE=spouse;VALUE=text:Bo Lee',
      'ADR:;;Main St 1,;Oslo;;;',
    ),
  );
  assert.equal(
    text,
    'Ann\nMessenger (home): xmpp:ann@a.example\nSkype: ann.lee\nAddress: Main St 1, Oslo\n' +
      'Anniversary: 2009-08-08 – August 8, 2009\nRelated (spouse): Bo Lee',
  );
});

test('relatives have the label of their group, and no number of a contact', () => {
  const [text] = textsOf(
    contact(
      'FN:Ann',
      'RELATED;TYPE=friend:urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      'item1.X-ABRELATEDNAMES:Bob',
      'item2.X-ABRELATEDNAMES;type=pref:Eve',
      'item1.X-ABLabel:_$!<Spouse>!$_',
      'item2.X-ABLabel:Neighbour',
    ),
  );
  assert.equal(text, 'Ann\nRelated (spouse): Bob\nRelated (neighbour): Eve');
});

test('a language that an entry declares gives the words of its days, if the entries are too short to tell another', () => {
  const source = calendar(event('SUMMARY;LANGUAGE=de-DE:TÜV', 'DTSTART:20261203T140000'));
  assert.deepEqual(textsOf(source), ['TÜV\nStart: 2026-12-03 14:00 – Donnerstag, 3. Dezember 2026']);
  assert.equal(parseCalendar(source).metadata['language']?.val, 'de');
});
