import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endingKeys, fullQuotas, latestOfGroups, namesOf, reasonsOf } from './facts.ts';

const DAY = 86_400;
const NOW = 1_000 * DAY;
const KEYS = 1_000;
const READS_PER_KEY_MAX = 5;

describe('what needs somebody', () => {
  test('reasons have their numbers, the most frequent first', () => {
    assert.deepEqual(reasonsOf(['Encrypted', 'Damaged', 'Damaged']), [
      ['Damaged', 2],
      ['Encrypted', 1],
    ]);
  });

  test('of many names the first ones are shown, each once', () => {
    assert.equal(namesOf(['a', 'a', '', 'b']), 'a, b');
    assert.equal(namesOf(['a', 'b', 'c', 'd']), 'a, b, c, …');
  });

  test('the latest run of a group is the newest one that has ended', () => {
    const run = (id: string, source_group_id: string, end_time: number | null) => ({ id, source_group_id, end_time });
    const runs = [run('5', 'a', null), run('4', 'a', 40), run('3', 'b', 30), run('2', 'a', 20)];
    assert.deepEqual(
      latestOfGroups(runs).map(({ id }) => id),
      ['4', '3'],
    );
  });

  test('a quota needs somebody from nine tenths on, and one that is not limited never', () => {
    const quotas = {
      bytes: { used: 90, quota: 100 },
      files: { used: 89, quota: 100 },
      groups: { used: 1_000, quota: null },
    };
    assert.deepEqual(fullQuotas(quotas), [{ kind: 'bytes', used: 90, quota: 100 }]);
    assert.deepEqual(fullQuotas(null), []);
  });

  test('a key needs somebody within 14 days of its end, unless it has ended or was rotated', () => {
    const key = (name: string, made: number, end: number | null) => ({
      name,
      creation_time: NOW + made * DAY,
      expires_time: end === null ? null : NOW + end * DAY,
    });
    const keys = [
      key('last', -9, 14),
      key('first', -9, 1),
      key('later', -9, 15),
      key('ended', -9, -1),
      key('never', -9, null),
      key('rotated', -9, 1),
      key('rotated', -1, 90),
      key('rotated for ever', -9, 1),
      key('rotated for ever', -1, null),
      key('older twin', -9, 90),
      key('older twin', -1, 2),
    ];
    assert.deepEqual(
      endingKeys(keys, NOW).map(({ name, expires_time: end }) => [name, (end - NOW) / DAY]),
      [
        ['first', 1],
        ['older twin', 2],
        ['last', 14],
      ],
    );
  });

  test('each key is compared once with the newer ones of its name, not with every other key', () => {
    let reads = 0;
    const keys = Array.from({ length: KEYS }, (_, at) => ({
      get name() {
        reads++;
        return 'ci';
      },
      creation_time: at,
      expires_time: NOW + DAY + at,
    }));
    assert.equal(endingKeys(keys, NOW).length, 1);
    assert.ok(reads < READS_PER_KEY_MAX * KEYS, `${reads} reads`);
  });
});
