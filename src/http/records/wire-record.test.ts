import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { toRecord } from './wire-record.ts';

const schema = z.object({
  id: z.string(),
  source_group_id: z.string(),
  creation_time: z.int(),
  last_used_time: z.int().nullable(),
  title: z.string().nullable(),
  note: z.string().optional(),
});
const row = {
  id: 'a',
  sourceGroupId: 'g',
  createdAt: new Date(1_767_225_600_999),
  lastUsedAt: null,
  title: 'Draft',
  secretHash: 'not for readers',
};

test('a record has the members of the schema, and times in whole seconds', () => {
  assert.deepEqual(toRecord(schema, row, { note: 'new' }), {
    id: 'a',
    source_group_id: 'g',
    creation_time: 1_767_225_600,
    last_used_time: null,
    title: 'Draft',
    note: 'new',
  });
});

test('given members win, also when they are null or absent', () => {
  const record = toRecord(schema, row, { title: null, note: undefined });
  assert.equal(record.title, null);
  assert.equal('note' in record, false);
});
