/** Tests of exports of chats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
      ]),
    );
  };
  const names = await namesOfUsers(source, 'team/support/2025-03-04.json', { include });
  assert.deepEqual(
    [[...names], asked],
    [
      [
        ['U1', 'Mara Lind'],
        ['U2', 'bo'],
      ],
      ['team/users.json'],
    ],
  );
  for (const answer of ['which is missing', Buffer.from('{"no":'), Buffer.from('{}')])
    assert.equal((await namesOfUsers(source, 'a/b/c.json', { include: async () => answer })).size, 0);
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
