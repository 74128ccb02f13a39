import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedOrigin } from './origins.ts';

const LOCAL = { host: '127.0.0.1', allowed: ['https://chat.example.com'] };
const PUBLIC = { ...LOCAL, host: '0.0.0.0' };

test('on this machine only names of this machine are accepted in Host', () => {
  for (const host of ['localhost', 'localhost:7700', '127.0.0.1:7700', '127.1.2.3', '[::1]:7700', 'LOCALHOST:1'])
    assert.equal(refusedOrigin(LOCAL, { host }), undefined, host);
  for (const host of [
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    '10.0.0.1',
    'a b',
    '@',
  ])
    assert.match(refusedOrigin(LOCAL, { host })!, /Host/, host);
  for (const host of ['localhost', '::1', '127.0.0.2'])
    assert.match(refusedOrigin({ ...LOCAL, host }, { host: 'evil.example' })!, /Host/);
});

test('a service for other machines accepts every name, but no page that is not allowed', () => {
  for (const host of ['wiki.example.com', '10.0.0.1:7700']) assert.equal(refusedOrigin(PUBLIC, { host }), undefined);
  // Behind a name that a stranger controls, Host and Origin are equal too.
  assert.match(refusedOrigin(PUBLIC, { host: 'evil.example', origin: 'http://evil.example' })!, /origin/);
  assert.equal(refusedOrigin(PUBLIC, { host: 'a.example', origin: 'https://chat.example.com' }), undefined);
});

test('an allowed origin matches as a whole', () => {
  const refused = (origin: string) => refusedOrigin(LOCAL, { host: 'localhost', origin }) !== undefined;
  assert.equal(refused('HTTPS://chat.example.com'), false);
  for (const origin of [
    'http://chat.example.com',
    'https://chat.example.com:444',
    'https://x.chat.example.com',
    'null',
    '',
  ])
    assert.equal(refused(origin), true, origin);
});
