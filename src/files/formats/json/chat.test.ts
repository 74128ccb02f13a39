/** Tests of exports of chats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_THERE } from '../markup/included-files.ts';
import { namesOfUsers } from './chat.ts';
import { parseJson } from './json.ts';

const NAMES = new Map([['U1', 'Mara Lind']]);
const textOf = (value: unknown, names = NAMES) => parseJson(JSON.stringify(value), [], names).text;
const line = (text: string) => `## 2025-03-04 (Tuesday, March 4, 2025)\n\n- 2025-03-04 09:02 UTC, ${text}`;
const slack = (text: string, more: object = {}) => ({
  type: 'message',
  ts: '1741078920.000100',
  user: 'U1',
  text,
  ...more,
});

test('a message of each kind of export is a list item with its time and sender', () => {
  const time = '2025-03-04T09:02:10.123+00:00';
  const person = { displayName: 'Mara Lind' };
  const exports: Record<string, object> = {
    Slack: [slack('It works.', { blocks: [{ text: 'It works.' }] })],
    Matrix: {
      messages: [
        { origin_server_ts: 1741078920123, sender: 'Mara Lind', content: { body: 'It works.', msgtype: 'm.text' } },
      ],
    },
    Discord: {
      messages: [
        {
          timestamp: time,
          timestampEdited: null,
          author: { name: 'mara', nickname: 'Mara Lind' },
          content: 'It works.',
        },
      ],
    },
    Teams: {
      value: [
        {
          createdDateTime: time,
          messageType: 'message',
          from: { user: person },
          body: { contentType: 'html', content: '<p>It <b>works</b>.</p>' },
        },
      ],
    },
    Telegram: {
      messages: [
        {
          date_unixtime: '1741078920',
          from: 'Mara Lind',
          text: ['It ', { type: 'bold', text: 'works' }, '.'],
          text_entities: [],
        },
      ],
    },
  };
  for (const [name, value] of Object.entries(exports)) assert.equal(textOf(value), line('Mara Lind: It works.'), name);
});

test('what stands around the messages is written before them, and each day has a heading', () => {
  const messages = [slack('One.'), slack('Also.'), slack('Two.', { ts: '1741165320.000100' })];
  const text = textOf({ channel: { name: 'support' }, messages });
  assert.match(
    text,
    /^channel:\n {2}name: support\n\n## 2025-03-04[^#]*One\.\n- 2025[^#]*Also\.\n\n## 2025-03-05 \(Wednesday, March 5, 2025\)\n\n/,
  );
});

test('users, channels, addresses and entities of Slack are words, and names of files and quoted posts follow', () => {
  const message = slack(
    '<@U1>, <@U9> &amp; <!here>: see <#C2|sales>, <https://a.example/x|the wiki> and <https://b.example>',
    {
      files: [{ title: 'offer.pdf' }],
      attachments: [{ fallback: 'Build 7 failed' }],
    },
  );
  const said = '@Mara Lind, @U9 & @here: see #sales, the wiki (https://a.example/x) and https://b.example';
  assert.equal(textOf([message]), line(`Mara Lind: ${said}\n  offer.pdf\n  Build 7 failed`));
  assert.match(textOf([slack('Hi', { user_profile: { real_name: 'Bo' } })], new Map()), /UTC, Bo: Hi$/);
});

test('users of Slack have the names of the file beside the folders of the channels', async () => {
  const source = JSON.stringify([slack('x')]);
  const asked: string[] = [];
  const include = async (path: string) => {
    asked.push(path);
    return Buffer.from(
      JSON.stringify([
        { id: 'U1', name: 'mara', profile: { real_name: 'Mara Lind' } },
        { id: 'U2', name: 'bo' },
        { name: 'nobody' },
        { id: 'U3' },
      ]),
    );
  };
  const { names, warnings } = await namesOfUsers(source, 'team/support/2025-03-04.json', { include });
  assert.deepEqual(
    [[...names], asked, warnings],
    [
      [
        ['U1', 'Mara Lind'],
        ['U2', 'bo'],
      ],
      ['team/users.json'],
      [],
    ],
  );
  for (const answer of ['which is too large', Buffer.from('{"no":'), Buffer.from('{}')]) {
    const none = await namesOfUsers(source, 'a/b/c.json', { include: async () => answer });
    assert.equal(none.names.size, 0);
    assert.match(
      none.warnings[0]!,
      /instead of the names in a\/users\.json, which is (?:too large|no list of users)\.$/,
    );
  }
  assert.deepEqual((await namesOfUsers(source, 'a/b/c.json', { include: async () => NOT_THERE })).warnings, []);
  await namesOfUsers('[{"ts": 1}]', 'a/b/c.json', { include });
  assert.equal(asked.length, 1);
});

test('a list of other objects stays a list of records, and declared keys keep messages as records', () => {
  for (const other of [
    [{ type: 'login', ts: 1741078920, text: 'ok' }],
    [slack('x'), { type: 'x' }],
    [{ author: 'Bo', date: '2025-03-04', text: 'Good', stars: 5 }],
  ])
    assert.ok(parseJson(JSON.stringify(other), []).blocks.every(({ kind }) => kind === 'record'));
  const [block] = parseJson(JSON.stringify([slack('x')]), [{ key: 'user', type: 'string' }]).blocks;
  assert.equal(block?.metadata?.['user']?.val, 'U1');
});

const discord = (more: object) => ({
  messages: [
    {
      timestamp: '2025-03-04T09:02:10.123+00:00',
      timestampEdited: null,
      author: { name: 'Mara Lind' },
      content: '',
      ...more,
    },
  ],
});
const telegram = (more: object) => ({
  messages: [{ date_unixtime: '1741078920', from: 'Mara Lind', text: '', text_entities: [], ...more }],
});

test('all texts of a message are written, and the first author of a text stands before it', () => {
  const embed = {
    title: 'Build 7',
    url: 'https://a.example/7',
    description: 'It failed.',
    author: { name: 'CI' },
    fields: [{ name: 'Branch', value: 'main' }],
  };
  assert.equal(
    textOf(discord({ content: 'Look', embeds: [embed] })),
    line('Mara Lind: Look\n  CI: Build 7: It failed.\n  Branch: main'),
  );
  const post = { author_name: 'Bo', pretext: 'New', title: 'Offer', text: 'It is open.', fallback: 'Offer' };
  const fields = [{ title: 'Price', value: '40k', short: true }];
  assert.equal(
    textOf([slack('See', { attachments: [{ ...post, fields }] })]),
    line('Mara Lind: See\n  Bo: New\n  Offer: It is open.\n  Price: 40k'),
  );
  const poll = { question: 'Lunch?', answers: [{ text: 'Soup', voters: 3 }] };
  assert.equal(textOf(telegram({ poll })), line('Mara Lind: Lunch?\n  Soup: 3'));
  const text = [{ type: 'text_link', text: 'here', href: 'https://a.example' }];
  assert.equal(
    textOf(telegram({ text, forwarded_from: 'Bo', file_name: 'a.pdf' })),
    line('Mara Lind: Bo: here (https://a.example)\n  a.pdf'),
  );
  const plain = [{ type: 'link', text: 'https://a.example', href: 'https://a.example' }];
  assert.equal(textOf(telegram({ text: plain })), line('Mara Lind: https://a.example'));
  assert.equal(textOf([slack('\nHi', { replies: [{ ts: '1741078921.000100' }] })]), line('Mara Lind: Hi'));
  assert.equal(textOf([slack('Twice', { attachments: [{ text: 'Twice' }] })]), line('Mara Lind: Twice'));
  const { blocks } = parseJson(
    JSON.stringify(
      discord({
        embeds: [embed, { title: 'Run', url: 'javascript:x' }, { url: 'https://b.example', fileName: 'Run' }],
      }),
    ),
    [],
  );
  assert.deepEqual(
    blocks.at(-1)?.links?.map(({ url }) => url),
    ['https://a.example/7'],
  );
});

test('blocks of Slack are read if they do not repeat the text', () => {
  const pieces = [
    { text: 'Ask ' },
    { type: 'user', user_id: 'U1' },
    { text: ' or ' },
    { type: 'link', url: 'https://a.example', text: 'look' },
  ];
  const rich = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: pieces }] };
  const section = { type: 'section', text: { text: 'Deployed' }, fields: [{ text: 'to main' }] };
  assert.equal(textOf([slack('', { blocks: [rich] })]), line('Mara Lind: Ask @Mara Lind or look (https://a.example)'));
  const list = { type: 'rich_text_list', elements: [{ text: 'One' }, { text: 'Two' }] };
  assert.equal(textOf([slack('', { blocks: [list] })]), line('Mara Lind: One\n  Two'));
  assert.equal(
    textOf([slack('Ask <@U1> or look', { blocks: [section] })]),
    line('Mara Lind: Ask @Mara Lind or look\n  Deployed\n  to main'),
  );
  const deep = `${'{"elements":['.repeat(20_000)}${']}'.repeat(20_000)}`;
  const parts = deep.replaceAll('elements', 'files');
  const message = JSON.stringify(slack('Hi')).slice(0, -1);
  assert.equal(parseJson(`[${message},"blocks":[${deep}],"files":[${parts}]}]`, [], NAMES).text, line('Mara Lind: Hi'));
});

test('parts may have equal texts, and only what a part repeats is left out', () => {
  const attachments = ['db1', 'db2'].map((title) => ({
    title,
    text: 'Down',
    fallback: 'Down',
    fields: [{ text: 'Down' }],
  }));
  assert.equal(textOf([slack('See', { attachments })]), line('Mara Lind: See\n  db1: Down\n  db2: Down'));
  assert.equal(
    textOf([slack('Q &amp; A', { blocks: [{ text: { type: 'plain_text', text: 'Q & A' } }] })]),
    line('Mara Lind: Q & A'),
  );
  const quoted = [{ author_name: 'Bo', text: 'Yes' }];
  assert.equal(textOf([slack('Yes', { attachments: quoted })]), line('Mara Lind: Yes\n  Bo: Yes'));
});

const section = (elements: object[]) => ({ type: 'rich_text_section', elements });
const richText = (...sections: object[][]) => ({ type: 'rich_text', elements: sections.map(section) });
const piece = (text: string) => ({ type: 'text', text });

test('rich text of Slack is left out only if the text has all its words', () => {
  const full = richText([piece('Database db7 is full')]);
  assert.equal(textOf([slack('New alert', { blocks: [full] })]), line('Mara Lind: New alert\n  Database db7 is full'));
  const pieces = [
    { type: 'emoji', name: 'tada' },
    { type: 'emoji', name: 'ship' },
    piece(' Q & A in '),
    { type: 'channel' },
  ];
  const same = richText([...pieces, piece(': ask '), { type: 'user', user_id: 'U1' }], [piece('One')]);
  assert.equal(
    textOf([slack(':tada::ship: Q &amp; A in <#C2|sales>: ask <@U1>\n1. One', { blocks: [same] })]),
    line('Mara Lind: :tada::ship: Q & A in #sales: ask @Mara Lind\n  1. One'),
  );
  const users = ['U1', 'U9'].map((user_id) => ({ type: 'user', user_id }));
  assert.equal(
    textOf([slack('', { blocks: [richText([users[0]!, piece(' '), users[1]!], [piece(' ')], [piece('!')])] })]),
    line('Mara Lind: @Mara Lind @U9\n  !'),
  );
});

test('tables of Slack and texts beside a section are read, and values of buttons are not', () => {
  const raw = (text: string) => ({ type: 'raw_text', text });
  const rows = [[raw('db1'), raw('Down')], [raw('db2'), richText([piece('Down')], [piece('to zero')])], [raw(' ')]];
  const button = { type: 'button', text: { text: 'Approve' }, value: '{"token":"abc123"}' };
  const blocks = [{ type: 'table', rows }, { text: { text: 'Deploy?' }, accessory: button }, { elements: [button] }];
  assert.equal(
    textOf([slack('', { blocks })]),
    line('Mara Lind: db1 | Down\n  db2 | Down to zero\n  Deploy?\n  Approve\n  Approve'),
  );
  const attachments = [{ author_name: 'Bo', text: 'Hi', value: 'x', fields: [{ title: '', value: '40k' }] }];
  assert.equal(textOf([slack('See', { attachments })]), line('Mara Lind: See\n  Bo: Hi\n  40k'));
});

test('a name is written once, and signs alone, names of authors and files of text are not lost', () => {
  const files = [{ type: 'text', title: 'a.txt', name: 'a.txt' }];
  const attachments = [{ author_name: 'Bo &amp; Co', text: 'Hi' }];
  assert.equal(textOf([slack('See', { files, attachments })]), line('Mara Lind: See\n  a.txt\n  Bo & Co: Hi'));
  assert.equal(textOf([slack('', { blocks: [richText([piece('?!')])] })]), line('Mara Lind: ?!'));
});

test('a forwarded message of Discord is not given to its forwarder', () => {
  const forwardedMessage = { content: 'I quit.', attachments: [{ fileName: 'a.pdf' }] };
  assert.equal(textOf(discord({ forwardedMessage })), line('Mara Lind: Forwarded: I quit.\n  a.pdf'));
});

test('only texts and numbers are words', () => {
  const nested = `${'['.repeat(20_000)}"x"${']'.repeat(20_000)}`;
  const deep = JSON.stringify([slack('TEXT', { files: [{ title: 'a.pdf' }] })]).replace('"TEXT"', nested);
  assert.equal(parseJson(deep, [], NAMES).text, line('Mara Lind: a.pdf'));
  const text = ['It is ', 7, { text: { no: 'text' }, href: 'https://a.example' }, { text: { no: 'text' } }, '.'];
  assert.equal(textOf(telegram({ text })), line('Mara Lind: It is 7.'));
});

test('notices and data of Teams are no words', () => {
  const message = {
    createdDateTime: '2025-03-04T09:02:00Z',
    messageType: 'message',
    from: { user: { displayName: 'Mara Lind' } },
  };
  const notice = { ...message, body: { contentType: 'html', content: '<systemEventMessage/>' } };
  assert.equal(parseJson(JSON.stringify({ value: [notice] }), []).blocks.at(-1)?.kind, 'record');
  const attachments = ['{"messageId":"1"}', 'It is open.'].map((content) => ({
    contentType: 'messageReference',
    content,
  }));
  const said = { ...message, body: { contentType: 'text', content: '{"a": 1}' }, attachments };
  assert.equal(textOf({ value: [said] }), line('Mara Lind: {"a": 1}\n  It is open.'));
  const content = '<attachment id="1"></attachment><p>Yes &amp; no</p>';
  assert.equal(
    textOf({ value: [{ ...said, body: { contentType: 'html', content } }] }),
    line('Mara Lind: Yes & no\n  It is open.'),
  );
});

test('a message that another one of Teams quotes or forwards is a quotation with its author', () => {
  const said = (contentType: string, content: object) => ({
    createdDateTime: '2025-03-04T09:02:00Z',
    messageType: 'message',
    from: { user: { displayName: 'Bo' } },
    body: { contentType: 'html', content: '<attachment id="1"></attachment><p>Yes.</p>' },
    attachments: [{ id: '1', contentType, content: JSON.stringify(content) }],
  });
  const user = { displayName: 'Mara Lind' };
  const quoted = { messageId: '1', messagePreview: 'Is it open?', messageSender: { application: null, user } };
  assert.equal(textOf({ value: [said('messageReference', quoted)] }), line('Bo: Yes.\n  > Mara Lind: Is it open?'));
  const forwarded = { originalMessageContent: '<p>One</p><p>Two</p>', originalMessageSender: { user } };
  assert.equal(
    textOf({ value: [said('forwardedMessageReference', forwarded)] }),
    line('Bo: Yes.\n  > Mara Lind: One\n  > Two'),
  );
  assert.equal(textOf({ value: [said('messageReference', { messageSender: { user } })] }), line('Bo: Yes.'));
});

test('a note of Telegram in place of a file is no text', () => {
  const note = '(File not included. Change data exporting settings to download.)';
  for (const [more, text] of [
    [{ photo: note, text: 'Our boat' }, 'Our boat'],
    [{ file: note, file_name: 'a.pdf' }, 'a.pdf'],
    [{ file: '(File unavailable, please try again later)', media_type: 'voice_message' }, 'voice_message'],
    [{ photo: note, width: 9 }, 'photo'],
    [{ text: '(File it under B.)' }, '(File it under B.)'],
  ] as const)
    assert.equal(textOf(telegram(more)), line(`Mara Lind: ${text}`));
});

test('the time of the newest message is that of the last change', () => {
  const messages = [slack('Two.', { ts: '1741165320.000100' }), slack('One.'), slack('No time.', { ts: '' })];
  assert.equal(parseJson(JSON.stringify(messages), []).metadata['modified']?.val, '2025-03-05T09:02:00Z');
  assert.deepEqual(parseJson('[{"modified": "2025-03-05T09:02:00.000Z"}]', []).metadata, {});
});

test('an empty line stands between a record and the next message', () => {
  const notice = slack('', { subtype: 'channel_join' });
  assert.match(
    textOf([notice, slack('Hi'), slack('Also')]),
    /channel_join\n\n- 2025-03-04 09:02 UTC, Mara Lind: Hi\n- [^\n]*Also$/,
  );
});

test('a subject and replies of Teams are written, and each reply has its own sender', () => {
  const said = (displayName: string, content: string, more: object = {}) => ({
    createdDateTime: '2025-03-04T09:02:00Z',
    messageType: 'message',
    from: { user: { displayName } },
    body: { contentType: 'text', content },
    ...more,
  });
  const replies = [said('Bo', 'Yes.')];
  assert.equal(
    textOf({ value: [said('Mara Lind', 'Is it open?', { subject: 'Offer', replies })] }),
    line('Mara Lind: Offer\n  Is it open?\n- 2025-03-04 09:02 UTC, Bo: Yes.'),
  );
});

test('a message without a text is a record', () => {
  const notice = { type: 'service', actor: 'Mara Lind', action: 'create_group', title: 'Team' };
  for (const [value, words] of [
    [telegram(notice), /action: create_group[\s\S]*title: Team/],
    [[slack('', { reactions: [{ name: 'tada' }] })], /name: tada/],
  ] as const) {
    const { text, blocks } = parseJson(JSON.stringify(value), []);
    assert.match(text, words);
    assert.equal(blocks.at(-1)?.kind, 'record');
  }
});

test('no message gets the name or the time of another', () => {
  const bot = { type: 'message', ts: '1741078920.000100', text: 'Hi' };
  const own = { ...bot, user_profile: { real_name: 'Ann' } };
  assert.match(textOf([own, bot]), /UTC, Ann: Hi\n- 2025-03-04 09:02 UTC, unknown: Hi$/);
  assert.equal(textOf(discord({ timestamp: null, content: 'Hi' })), '- Mara Lind: Hi');
  for (const end of ['\n', '\r', '\u2028'])
    assert.equal(
      textOf([slack(`Hi${end}- 2025-03-04 09:05 UTC, Boss: Yes${end}[2025-03-04 09:05] Boss: Yes`)]),
      line('Mara Lind: Hi\n  > - 2025-03-04 09:05 UTC, Boss: Yes\n  > [2025-03-04 09:05] Boss: Yes'),
    );
  for (const start of ['\u200e[', '\u200f - [', '1. ', '- 12) ', ' '])
    assert.ok(
      textOf([slack(`Hi\n${start}2025-03-04 09:05 UTC, Boss: Yes`)]).endsWith(
        `\n  > ${start}2025-03-04 09:05 UTC, Boss: Yes`,
      ),
    );
  const name = 'Ann: Hi\n- 2025-03-04 09:05 UTC, Boss';
  assert.equal(textOf(discord({ author: { name }, content: 'Yes' })), line(`${name.replace('\n', ' ')}: Yes`));
});
