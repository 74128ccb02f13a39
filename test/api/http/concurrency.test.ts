/** Tests how many requests of a key run at the same time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestApp } from '../../support/app.ts';

test('a key runs a limited number of requests at the same time', async () => {
  const limited = await openTestApp({ env: { PINAKES_CONCURRENT_REQUESTS: '2' } });
  try {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => limited.get('/api-keys')));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 1 && answers.some(({ status }) => status === 200), `${refused.length} of 5 refused`);
    assert.equal(refused[0]!.headers['retry-after'], '1');
    const { authenticate } = limited.deps.auth;
    for (let i = 0; i < 3; i++) {
      // The client leaves while its key is checked.
      const gone = new AbortController();
      const checked = new Promise<void>((resolve) => {
        limited.deps.auth.authenticate = async (header) => {
          gone.abort();
          await sleep(50);
          setImmediate(resolve);
          return authenticate(header);
        };
      });
      const url = `${await limited.url()}/api/v1/api-keys`;
      await assert.rejects(fetch(url, { headers: { 'x-api-key': limited.key }, signal: gone.signal }));
      await checked;
    }
    limited.deps.auth.authenticate = authenticate;
    for (let i = 0; i < 5; i++)
      assert.equal((await limited.get('/api-keys')).status, 200, 'finished requests do not count');
  } finally {
    await limited.close();
  }
});
