import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey } from '../../../src/access/api-key.ts';
import type { SystemDatabase } from '../../../src/db/database.ts';
import { openAuthenticator } from '../../../src/http/auth.ts';

test('requests of one key that come at the same time share one look-up, unless a key changed meanwhile', async () => {
  const { key, hash } = generateApiKey();
  const row = { id: 'k', tenantId: 't', familyId: 'k', rootId: 'k', secretHash: hash, scopes: [], expiresAt: null };
  const answers: ((isRevoked: boolean) => void)[] = [];
  const query = (): Promise<object[]> =>
    new Promise((resolve) =>
      answers.push((isRevoked) => resolve([{ ...row, revokedAt: isRevoked ? new Date() : null }])),
    );
  const { authenticate, forget } = openAuthenticator({ query } as unknown as SystemDatabase, { now: () => new Date() });
  const before = Array.from({ length: 20 }, () => authenticate(key));
  assert.equal(answers.length, 1);
  forget();
  const after = authenticate(key);
  assert.equal(answers.length, 2, 'the first look-up may have read the key before it was revoked');
  answers[0]!(false);
  assert.ok((await Promise.all(before)).every(({ tenantId }) => tenantId === 't'));
  answers[1]!(true);
  await assert.rejects(after, { code: 'unauthenticated' });
});
