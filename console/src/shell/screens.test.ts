import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstScreen, refusedScreen, screensFor } from './screens.ts';

const menuOf = (scope: string) => screensFor([scope]).flatMap(({ screens }) => screens.map(({ to }) => to));

describe('the menu of a key', () => {
  test('it has what the scopes allow, and the console begins with one of its screens', () => {
    assert.deepEqual(menuOf('audit:read'), ['/audit']);
    assert.deepEqual(menuOf('inference:run'), ['/ask', '/agents', '/connect']);
    // Questions need the scope for answers: reading alone does not offer them.
    assert.equal(menuOf('knowledge:read').includes('/ask'), false);
    for (const scope of [
      'knowledge:read',
      'inference:run',
      'ingestion:manage',
      'audit:read',
      'apikeys:issue',
      'authz:grant',
    ])
      assert.ok(menuOf(scope).includes(firstScreen([scope])), scope);
    assert.equal(firstScreen(['knowledge:read', 'inference:run']), '/sources');
    // Who may mend something begins with what needs them.
    assert.equal(firstScreen(['knowledge:read', 'inference:run', 'ingestion:manage']), '/overview');
  });

  test('an address leads to no screen that the key may not use', () => {
    const reader = ['knowledge:read'];
    assert.equal(refusedScreen('/keys', reader)?.to, '/keys');
    assert.equal(refusedScreen('/evaluation/1/2', reader)?.to, '/evaluation');
    assert.equal(refusedScreen('/sources/1', reader), undefined);
    assert.equal(refusedScreen('/no/such/screen', reader), undefined);
    assert.equal(refusedScreen('/keys', ['apikeys:issue']), undefined);
  });
});
