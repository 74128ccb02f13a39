import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEMBERS_MAX, sendMembers } from './members.ts';

test('the names of files inside another file are cleaned before they are sent on', async () => {
  const names: string[] = [];
  const members = ['a\0b.txt', '../../c.txt', '..'].map((name) => ({ name, bytes: () => Buffer.from('words') }));
  await sendMembers(members, 0, async ({ name }) => void names.push(name), {}, false);
  assert.deepEqual(names, ['ab.txt', 'c.txt', 'unnamed']);
});

test('an archive with too many files fails, and a mail with too many attachments loses those over the limit', async () => {
  const member = { name: 'a.txt', bytes: () => Buffer.from('words') };
  const members = Array.from({ length: MEMBERS_MAX + 3 }, () => member);
  let sent = 0;
  const sink = async () => {
    sent += 1;
  };
  await assert.rejects(sendMembers(members, 0, sink, {}, true), /more than 2000 files/);
  sent = 0;
  assert.match((await sendMembers(members, 0, sink, {}, false))[0]!, /^3 files inside/);
  assert.equal(sent, MEMBERS_MAX);
});
