/** Tests with mails as real programs write them: encodings, alternatives, forwards, names of attachments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEMBERS_MAX } from '../../src/files/detect/members.ts';
import { makeCompound } from '../support/files/make-compound.ts';
import { failureOf, processBytes, readBytes } from '../support/files/process-bytes.ts';

const HEAD = 'From: Ann <ann@example.com>\r\nTo: bo@example.com\r\nMIME-Version: 1.0\r\n';
const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64');
const multipart = (kind: string, ...parts: string[]) =>
  `Content-Type: multipart/${kind}; boundary="b-${kind}"\r\n\r\n${parts.map((part) => `--b-${kind}\r\n${part}\r\n`).join('')}--b-${kind}--\r\n`;
const plain = (text: string) => `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`;
const html = (text: string) => `Content-Type: text/html; charset=utf-8\r\n\r\n${text}`;

const MENU = '<p>Prices of our canteen from Monday:</p><ul><li>lentil soup 4.20</li><li>pea stew 5.10</li></ul>';

const number = (value: number, bytes = 4) => {
  const data = Buffer.alloc(bytes);
  data.writeUIntLE(value, 0, bytes);
  return data;
};
const attribute = (id: number, data: Uint8Array) =>
  Buffer.concat([number(2, 1), number(id), number(data.length), data, number(0, 2)]);

/** Returns the file of Outlook with two text files: the second has its long name among its properties. */
function tnef(short: string, long: string): Uint8Array {
  const wide = Buffer.from(`${long}\0`, 'utf16le');
  const properties = [1, 0x3707001f, 1, wide.length].map((value) => number(value));
  return Buffer.concat([
    number(0x223e9f78),
    number(1, 2),
    ...[
      attribute(0x69002, number(0)),
      attribute(0x18010, Buffer.from(`${short}\0`)),
      attribute(0x6800f, Buffer.from('One')),
    ],
    ...[
      attribute(0x69002, number(0)),
      attribute(0x18010, Buffer.from('PREIS~1.TXT\0')),
      attribute(0x6800f, Buffer.from('Two')),
    ],
    attribute(0x69005, Buffer.concat([...properties, wide])),
  ]);
}

const CASES: readonly (readonly [what: string, mail: string, text: RegExp, members: readonly string[]])[] = [
  ['plain text', `Subject: Hi\r\n${plain('One.\r\n\r\nTwo.')}`, /Subject: Hi\n\nOne\.\n\nTwo\.$/, []],
  [
    'Japanese in seven bits',
    `Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\r\nContent-Type: text/plain; charset=ISO-2022-JP\r\n\r\n\x1b$BF|K\\\x1b(B`,
    /Subject: 日本\n\n日本$/,
    [],
  ],
  [
    'base64 in UTF-8',
    `Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64('Grüße – ok')}`,
    /Grüße – ok$/,
    [],
  ],
  ['a subject over several lines', `Subject: one\r\n two\r\n\tthree\r\n${plain('x')}`, /Subject: one two three\n/, []],
  [
    'alternatives as text and HTML',
    `Subject: x\r\n${multipart('alternative', plain('As text'), html('<p>As HTML</p>'))}`,
    /\n\nAs text$/,
    [],
  ],
  [
    'a plain part that only says that there is HTML',
    `Subject: x\r\n${multipart('alternative', plain('This message is in HTML: https://a.example/lentil/soup/4.20/pea/stew'), html(MENU))}`,
    /\n\nPrices of our canteen from Monday:\n\n- lentil soup 4\.20\n- pea stew 5\.10$/,
    [],
  ],
  [
    'a placeholder that is longer than its short HTML part',
    `Subject: x\r\n${multipart('alternative', plain('Please use a program that can show HTML.'), html('<p>Lunch costs 4.20</p>'))}`,
    /\n\nLunch costs 4\.20$/,
    [],
  ],
  [
    'a plain part without a word',
    `Subject: x\r\n${multipart('alternative', plain('-- \u200b'), html('<p>Lunch costs 4.20</p>'))}`,
    /\n\nLunch costs 4\.20$/,
    [],
  ],
  [
    'a plain part about HTML',
    `Subject: x\r\n${multipart('alternative', plain('HTML is fine.'), html('<p>HTML is fine, ok.</p>'))}`,
    /\n\nHTML is fine\.$/,
    [],
  ],
  [
    'an HTML part that adds little to the plain part',
    `Subject: x\r\n${multipart('alternative', plain('Prices of our canteen from Monday:\r\n\r\n* lentil soup 4.20\r\n* pea stew 5.10'), html(`${MENU}<p>You get this mail because you subscribed</p>`))}`,
    /\* pea stew 5\.10$/,
    [],
  ],
  [
    'Chinese parts with other line breaks',
    `Subject: x\r\n${multipart('alternative', plain('今天的午餐是扁豆汤和\r\n豌豆炖菜价格见下表。'), html('<p>今天的午餐是扁豆汤和豌豆炖菜价格见下表。</p>'))}`,
    /扁豆汤和\n豌豆炖菜/,
    [],
  ],
  ['only HTML', `Subject: x\r\n${html('<h2>News</h2><ul><li>a</li><li>b</li></ul>')}`, /## News\n\n- a\n- b$/, []],
  [
    'pictures that the HTML shows',
    `Subject: x\r\n${multipart('related', html('<p>See <img src="cid:p1"></p>'), 'Content-Type: image/png; name="p.png"\r\nContent-ID: <p1>\r\nContent-Disposition: inline\r\n\r\nx')}`,
    /\n\nSee$/,
    [],
  ],
  [
    'an attachment with an encoded name',
    `Subject: x\r\n${multipart('mixed', plain('Here.'), `Content-Type: text/plain\r\nContent-Disposition: attachment; filename*=utf-8''%C3%BCbersicht.txt\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64('inside')}`)}`,
    /Here\.\n\nAttachments:\n- übersicht\.txt$/,
    ['übersicht.txt'],
  ],
  [
    'alternatives within a mixed mail',
    `Subject: x\r\n${multipart('mixed', multipart('alternative', plain('Both'), html('<p>Both</p>')), 'Content-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment\r\n\r\na,b')}`,
    /\n\nBoth\n\nAttachments:\n- a\.csv$/,
    ['a.csv'],
  ],
  [
    'a forwarded mail',
    `Subject: Fwd\r\n${multipart('mixed', plain('See below.'), `Content-Type: message/rfc822\r\n\r\nFrom: cy@example.com\r\nSubject: Old\r\n\r\nThe old words.`)}`,
    /See below\.[\s\S]*The old words\./,
    [],
  ],
  [
    'a forwarded mail without a name',
    `Subject: x\r\n${multipart('mixed', plain('See below.'), 'Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\nFrom: cy@example.com\r\nSubject: =?utf-8?Q?Price_list_=E2=80=93_May?=\r\n\r\nHello')}`,
    /See below\.\n\nAttachments:\n- Price list – May\.eml$/,
    ['Price list – May.eml'],
  ],
  [
    'parts without names',
    `Subject: x\r\n${multipart('mixed', plain('Here.'), 'Content-Type: message/delivery-status\r\n\r\nAction: failed', 'Content-Type: image/png\r\nContent-Description: Plan of the hall\r\n\r\nx', 'Content-Type: image/png\r\n\r\ny')}`,
    /- delivery report\n- Plan of the hall\n- picture$/,
    ['delivery report', 'Plan of the hall', 'picture'],
  ],
  [
    'an RTF alternative',
    `Subject: x\r\n${multipart('alternative', plain('As text'), 'Content-Type: text/rtf\r\n\r\n{\\rtf1 As text}', html('<p>As HTML</p>'))}`,
    /\n\nAs text$/,
    [],
  ],
  [
    'a calendar entry and a named file among the alternatives',
    `Subject: x\r\n${multipart('alternative', plain('As text'), 'Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR', 'Content-Type: text/rtf; name="offer.rtf"\r\n\r\n{\\rtf1 Offer}')}`,
    /- calendar entry\n- offer\.rtf$/,
    ['calendar entry', 'offer.rtf'],
  ],
  [
    'a signature, which has no words',
    `Subject: x\r\n${multipart('signed', plain('Signed.'), 'Content-Type: application/pgp-signature; name="signature.asc"\r\n\r\n-----BEGIN PGP SIGNATURE-----')}`,
    /\n\nSigned\.$/,
    [],
  ],
  [
    'a winmail.dat',
    `Subject: x\r\n${multipart('mixed', plain('See both.'), `Content-Type: application/ms-tnef; name="winmail.dat"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(tnef('short.txt', 'Preis für 2026.txt'))}`)}`,
    /See both\.\n\nAttachments:\n- short\.txt\n- Preis für 2026\.txt$/,
    ['short.txt', 'Preis für 2026.txt'],
  ],
  ['no body at all', 'Subject: Empty\r\n\r\n', /Subject: Empty$/, []],
  [
    'a part that is never closed',
    `Subject: x\r\nContent-Type: multipart/mixed; boundary=q\r\n\r\n--q\r\n${plain('Cut off')}`,
    /Cut off$/,
    [],
  ],
];

for (const [what, mail, text, names] of CASES) {
  test(`a mail with ${what} gives its headers, its text and its attachments`, async () => {
    const members: string[] = [];
    const outcome = await processBytes('m.eml', `${HEAD}${mail}`, [], async ({ name }) => void members.push(name));
    assert.ok(outcome.ok);
    assert.match(outcome.file.text, text);
    assert.match(outcome.file.text, /^From: Ann <ann@example\.com>\nTo: bo@example\.com\n/);
    assert.deepEqual(members, names);
  });
}

test('what is damaged in a winmail.dat, or has no data, leaves the winmail.dat as an attachment that cannot be read', async () => {
  const read = async (file: Uint8Array) => {
    const mail = `${HEAD}Subject: x\r\n${multipart('mixed', plain('See.'), `Content-Type: application/ms-tnef; name="winmail.dat"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(file)}`)}`;
    const members: string[] = [];
    const outcome = await processBytes('m.eml', mail, [], async ({ name }) => void members.push(name));
    assert.ok(outcome.ok);
    const list = outcome.file.text.split('Attachments:\n')[1]!.split('\n');
    return { members, list, warned: outcome.file.warnings.length };
  };
  const whole = tnef('a.txt', 'b.txt');
  const begin = attribute(0x69002, number(0));
  const cutCodePage = Buffer.concat([number(2, 1), number(0x69007), number(8)]);
  assert.deepEqual(await read(Buffer.concat([whole, cutCodePage])), {
    members: ['a.txt', 'b.txt'],
    list: ['- a.txt', '- b.txt'],
    warned: 0,
  });
  const second = Buffer.from(whole).indexOf('Two');
  for (const damaged of [
    whole.subarray(0, second + 2),
    Buffer.concat([whole.subarray(0, second - 9), ...Array(9).fill(begin)]),
  ])
    assert.deepEqual(await read(damaged), { members: ['a.txt'], list: ['- a.txt', '- winmail.dat'], warned: 1 });
  assert.deepEqual(await read(whole.subarray(0, 6)), { members: [], list: ['- winmail.dat'], warned: 1 });
  const file = Buffer.concat([begin, attribute(0x6800f, Buffer.from('words'))]);
  const many = await read(Buffer.concat([whole.subarray(0, 6), ...Array(MEMBERS_MAX + 9).fill(file)]));
  assert.deepEqual([many.members.length, many.list.length, many.warned], [MEMBERS_MAX, MEMBERS_MAX + 1, 1]);
});

test('a mail of Apple Mail is read without the count of its bytes and its properties', async () => {
  const mail = `${HEAD}Subject: Boat\r\n${plain('It floats.')}\n`;
  const file = await readBytes('1.emlx', `${mail.length}      \n${mail}<?xml version="1.0"?>\n<plist/>`);
  assert.match(file.text, /Subject: Boat\n\nIt floats\.$/);
});

test('each later chunk of a long mail names the sender, date and subject in its context, and its text does not', async () => {
  const body = Array.from({ length: 90 }, (_, i) => `The ${i}th board is nailed to the wall of the shed.`).join(
    '\r\n\r\n',
  );
  const read = await readBytes(
    'm.eml',
    `${HEAD}Date: Thu, 5 Mar 2026 23:30:00 -0200\r\nSubject: Boards\r\n\r\n${body}`,
  );
  const [first, ...later] = read.chunks;
  const lines = 'From: Ann <ann@example.com>\nDate: 2026-03-05 23:30 -02:00 (Thursday, March 5, 2026)\nSubject: Boards';
  assert.ok(first!.content.includes(lines.split('\n')[1]!));
  assert.equal(first!.context, null);
  assert.ok(later.length > 0);
  for (const { context, content } of later) {
    assert.equal(context, lines);
    assert.doesNotMatch(content, /Ann|Boards/);
  }
});

test('a long subject, sender or date is not repeated by later chunks: a part of it could hide a value from rules', async () => {
  const long = 'word '.repeat(20_000);
  const mail = `From: <ann@example.com>\r\nDate: ${long}\r\nSubject: ${long}\r\n\r\n${'Nails. '.repeat(20_000)}`;
  const { chunks } = await readBytes('m.eml', mail);
  const [, second] = chunks;
  assert.equal(second!.context, 'From: ann@example.com');
});

test('the date of a mail is written by the clock of its sender, with the month in the language of the mail', async () => {
  const dateIn = async (date: string, words: string) =>
    /^Date: (.*)$/m.exec((await readBytes('m.eml', `${HEAD}${date}Subject: x\r\n${plain(words)}`)).text)?.[1];
  const german = 'Wir liefern die Kisten am Montag, und die Rechnung kommt mit der Post.';
  assert.equal(
    await dateIn('Date: Thu, 5 Mar 2026 00:30:00 +0530 (IST)\r\n', german),
    '2026-03-05 00:30 +05:30 (Donnerstag, 5. März 2026)',
  );
  assert.equal(await dateIn('Date: 5 Mar 2026 00:30 GMT\r\n', 'Ok.'), '2026-03-05 00:30 UTC (Thursday, March 5, 2026)');
  assert.equal(await dateIn('', 'Ok.'), undefined);
});

test('a mailbox gives each mail as a file, and a quoted "From" line begins no mail', async () => {
  const mails = [
    'From ann@example.com Mon Jan  6 10:00:00 2020\nFrom: Ann <ann@example.com>\nSubject: =?utf-8?q?Caf=C3=A9?=\n opening\n\nHello.\nFrom Bo at 10:00 sharp\n\nFrom here on it is quiet.\n\nFrom home we saw 10:00 at\n>From Bo with love\n>>From deeper\n\n',
    'From - Tue Jan 07 11:00:00 2020\r\nSubject: In/Out\r\n\r\nSecond.\r\n\r\n',
    'From MAILER-DAEMON Wed Jan  8 12:00:00 2020\n\nNo headers.\n',
  ];
  const read = async (name: string) => {
    const members: [name: string, text: string][] = [];
    const sink = async (one: { name: string; bytes: Uint8Array }) =>
      void members.push([one.name, Buffer.from(one.bytes).toString()]);
    const outcome = await processBytes(name, mails.join(''), [], sink);
    assert.ok(outcome.ok);
    return { members, text: outcome.file.text };
  };
  const { members, text } = await read('old.mbox');
  assert.deepEqual(
    members.map(([name]) => name),
    ['Café opening.eml', 'In-Out.eml', 'mail.eml'],
  );
  assert.equal(text, '- Café opening.eml\n- In-Out.eml\n- mail.eml');
  assert.ok(
    members[0]![1].endsWith(
      'Hello.\nFrom Bo at 10:00 sharp\n\nFrom here on it is quiet.\n\nFrom home we saw 10:00 at\nFrom Bo with love\n>From deeper\n\n',
    ),
  );
  assert.equal(members[1]![1], 'Subject: In/Out\r\n\r\nSecond.\r\n\r\n');
  assert.deepEqual((await read('INBOX')).members, members, 'known by its first line, too');
});

test('a mailbox with too many mails fails before any mail is sent on', async () => {
  const mail = 'From a@example.com Mon Jan  6 10:00:00 2020\n\nwords\n\n';
  assert.match((await failureOf('a.mbox', mail.repeat(MEMBERS_MAX + 1))).message, /more than 2000 mails/);
});

test('a mailbox with too many mails that was saved as text is read as text', async () => {
  const mail =
    'From a@example.com Mon Jan  6 10:00:00 2020\nFrom: a@example.com\nMessage-ID: <1@example.com>\n\nwords\n\n';
  assert.equal((await readBytes('a.txt', mail)).fileType, 'unknown');
  const { fileType, text } = await readBytes('a.txt', mail.repeat(MEMBERS_MAX + 1));
  assert.deepEqual([fileType, text.match(/^words$/gm)?.length], ['txt', MEMBERS_MAX + 1]);
});

test('a mail or mailbox saved as text may begin with a byte order mark', async () => {
  const mail = 'From: Ann <ann@example.com>\nMessage-ID: <1@example.com>\nSubject: Boat\n\nIt floats.\n';
  for (const name of ['a.txt', 'a.eml'])
    assert.equal(
      (await readBytes(name, `\ufeff${mail}`)).text,
      'From: Ann <ann@example.com>\nSubject: Boat\n\nIt floats.',
    );
  const box = await readBytes('a.txt', `\ufeffFrom a@example.com Mon Jan  6 10:00:00 2020\n${mail}`);
  assert.equal(box.text, '- Boat.eml');
});

test('an Outlook message with 8-bit strings is decoded without their closing NUL and with its code page', async () => {
  const message = async (codePage: number, subject: readonly number[]) => {
    const facts = Buffer.alloc(48);
    facts.writeUInt16LE(3, 32);
    facts.writeUInt16LE(0x3ffd, 34);
    facts.writeUInt32LE(codePage, 40);
    const outcome = await processBytes(
      'a.msg',
      makeCompound({
        '__properties_version1.0': facts,
        '__substg1.0_0C1A001E': Buffer.from('Joseph Bloggs\0\0'),
        '__substg1.0_0E04001E': Buffer.from('Someone Else\0'),
        '__substg1.0_0037001E': Uint8Array.from(subject),
        '__substg1.0_1000001E': Buffer.from('Some words.\0'),
      }),
    );
    assert.ok(outcome.ok);
    return outcome.file.text;
  };
  const text = (subject: string) => `From: Joseph Bloggs\nTo: Someone Else\nSubject: ${subject}\n\nSome words.`;
  assert.equal(await message(1251, [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0]), text('Привет'));
  assert.equal(await message(932, [0x93, 0xfa, 0x96, 0x7b, 0]), text('日本'));
  assert.equal(await message(9999, [0x4f, 0x6b, 0]), text('Ok'));
});

test('a message that is attached to an Outlook message is a file inside it, with its own date and attachments', async () => {
  const facts = (header: number) => {
    const table = Buffer.alloc(header + 16);
    table.writeUInt32LE(0x00390040, header);
    table.writeBigUInt64LE(132_539_328_000_000_000n, header + 8);
    return table;
  };
  const inner = '__attach_version1.0_#00000000/__substg1.0_3701000D/';
  const wide = (text: string) => Buffer.from(text, 'utf16le');
  const members: { name: string; bytes: Uint8Array }[] = [];
  const message = makeCompound({
    '__properties_version1.0': Buffer.alloc(32),
    '__substg1.0_0037001F': wide('Complaint'),
    [`${inner}__properties_version1.0`]: facts(24),
    [`${inner}__substg1.0_0037001F`]: wide('Broken boat'),
    [`${inner}__substg1.0_1000001F`]: wide('It sinks.'),
    [`${inner}__attach_version1.0_#00000000/__substg1.0_3707001F`]: wide('hull.txt'),
    [`${inner}__attach_version1.0_#00000000/__substg1.0_37010102`]: Buffer.from('A hole.'),
  });
  const outer = await processBytes('a.msg', message, [], async (member) => void members.push(member));
  assert.ok(outer.ok);
  assert.match(outer.file.text, /Subject: Complaint\n\nAttachments:\n- Broken boat\.msg$/);
  const attached = await readBytes('Broken boat.msg', members[0]!.bytes);
  assert.equal(
    attached.text,
    'Date: 2021-01-01 00:00 UTC (Friday, January 1, 2021)\nSubject: Broken boat\n\nIt sinks.\n\nAttachments:\n- hull.txt',
  );
});

test('an attached message that is damaged or larger than the file around it is left out of an Outlook message', async () => {
  const inner = '__attach_version1.0_#00000000/__substg1.0_3701000D/';
  const streams = Array.from({ length: 9 }, (_, i) => [`${inner}__substg1.0_${2000 + i}001F`, Buffer.alloc(8192, 'x')]);
  const message = makeCompound({
    '__properties_version1.0': Buffer.alloc(32),
    '__substg1.0_0037001F': Buffer.from('Complaint', 'utf16le'),
    [`${inner}__properties_version1.0`]: Buffer.alloc(24),
    ...Object.fromEntries(streams),
  });
  const places = streams.map(([name]) => {
    const last = String(name).slice(inner.length);
    return Buffer.from(message).indexOf(Buffer.from(last, 'utf16le'));
  });
  const read = async (change: (bytes: Buffer, place: number) => void) => {
    const bytes = Buffer.from(message);
    for (const place of places) change(bytes, place);
    const members: string[] = [];
    const outcome = await processBytes('a.msg', bytes, [], async ({ name }) => void members.push(name));
    assert.ok(outcome.ok);
    assert.match(outcome.file.text, /Subject: Complaint/);
    return [members.length, outcome.file.warnings.length];
  };
  assert.deepEqual(await read(() => undefined), [1, 0]);
  const [START, SIZE] = [116, 120];
  const pastEnd = (bytes: Buffer, place: number) => bytes.writeUInt32LE(0xffffff, place + START);
  assert.deepEqual(await read(pastEnd), [0, 1]);
  // All streams then have the sectors of one chain, which is as long as all of them.
  const table = (bytes: Buffer) => 512 * (1 + bytes.readUInt32LE(76));
  const onOneChain = (bytes: Buffer, place: number) => {
    const first = bytes.readUInt32LE(places[0]! + START);
    for (let i = 0; i < 9 * 16 - 1; i += 1) bytes.writeUInt32LE(first + i + 1, table(bytes) + 4 * (first + i));
    bytes.writeUInt32LE(first, place + START);
    bytes.writeUInt32LE(9 * 8192, place + SIZE);
  };
  assert.deepEqual(await read(onOneChain), [0, 1]);
});
