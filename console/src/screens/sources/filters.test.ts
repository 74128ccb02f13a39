import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isFiltered, rangeOf, readFilters, sortedBy } from './filters.ts';

const present = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

describe('the filters of the source list', () => {
  test('an address keeps what is a filter, and drops everything else', () => {
    const given = { q: ' loan', status: 'failed', type: 'pdf', sort: 'size', order: 'asc', add: true, other: 1 };
    assert.deepEqual(present(readFilters(given)), {
      q: ' loan',
      status: 'failed',
      type: 'pdf',
      sort: 'size',
      order: 'asc',
      add: true,
    });
    assert.deepEqual(present(readFilters({ q: '  ', status: 'gone', sort: 'id', order: 'up', add: 'yes' })), {});
  });

  test('a search for digits alone stays a text', () => assert.equal(readFilters({ q: 2025 }).q, '2025'));

  test('a column is first sorted in its usual direction, then in the other one, then not at all', () => {
    assert.deepEqual(present(sortedBy({}, 'name')), { sort: 'name', order: 'asc' });
    assert.deepEqual(present(sortedBy({ sort: 'name', order: 'asc' }, 'name')), { sort: 'name', order: 'desc' });
    assert.deepEqual(present(sortedBy({ sort: 'name', order: 'asc' }, 'size')), { sort: 'size', order: 'desc' });
    assert.deepEqual(present(sortedBy({ sort: 'name', order: 'desc' }, 'name')), {});
    assert.deepEqual(present(sortedBy({}, 'content_time')), { sort: 'content_time', order: 'desc' });
  });

  test('an order alone does not narrow the list', () => {
    assert.equal(isFiltered({ sort: 'size', order: 'asc' }), false);
    assert.equal(isFiltered({ status: 'failed' }), true);
  });
});

test('a range goes in both directions, and has one row without a beginning', () => {
  const rows = ['a', 'b', 'c', 'd'];
  assert.deepEqual(rangeOf(rows, 1, 3), ['b', 'c', 'd']);
  assert.deepEqual(rangeOf(rows, 3, 1), ['b', 'c', 'd']);
  assert.deepEqual(rangeOf(rows, null, 2), ['c']);
  assert.deepEqual(rangeOf(rows, 2, 2), ['c']);
});
