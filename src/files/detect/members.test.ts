import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badFile } from '../failure.ts';
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

test('a mail loses an attachment that is damaged, an archive then fails, and what is over the limit is not unpacked', async () => {
  let unpacked = 0;
  const good = {
    name: 'a.txt',
    bytes: () => {
      unpacked += 1;
      return Buffer.from('words');
    },
  };
  const damaged = {
    name: 'b.msg',
    bytes: () => {
      throw badFile('parse', 'Damaged', 'It is damaged.');
    },
  };
  const names: string[] = [];
  const sink = async ({ name }: { name: string }) => void names.push(name);
  assert.match((await sendMembers([damaged, good], 0, sink, {}, false))[0]!, /^1 file inside/);
  assert.deepEqual(names, ['a.txt']);
  await assert.rejects(sendMembers([damaged, good], 0, sink, {}, true), /It is damaged/);
  const fault = { name: 'c', bytes: () => assert.fail('A fault of the program') };
  await assert.rejects(sendMembers([fault], 0, sink, {}, false), /A fault/);
  unpacked = 0;
  await sendMembers(Array(MEMBERS_MAX + 3).fill(good), 0, sink, {}, false);
  assert.equal(unpacked, MEMBERS_MAX);
});
