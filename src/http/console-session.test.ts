import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieHeader, cookieOf, mayUseCookie, newSecret, sessionSecretOf } from './console-session.ts';

const { secret } = newSecret();
const OWN = { host: 'pinakes.example', 'x-pinakes-console': '1' };

/** Name of the case, method, headers, and whether the request may use the cookie. */
const CASES: [string, string, Record<string, string>, boolean][] = [
  ['our page', 'POST', { ...OWN, 'sec-fetch-site': 'same-origin' }, true],
  ['our page without the header', 'POST', { host: OWN.host, 'sec-fetch-site': 'same-origin' }, false],
  [
    'our page with another value of the header',
    'GET',
    { ...OWN, 'x-pinakes-console': 'true', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['another site', 'POST', { ...OWN, 'sec-fetch-site': 'cross-site' }, false],
  ['a sister domain', 'POST', { ...OWN, 'sec-fetch-site': 'same-site' }, false],
  ['the address bar', 'GET', { ...OWN, 'sec-fetch-site': 'none' }, false],
  [
    'another site that names our origin',
    'POST',
    { ...OWN, 'sec-fetch-site': 'cross-site', origin: 'https://pinakes.example' },
    false,
  ],
  ['an old browser, our page', 'DELETE', { ...OWN, origin: 'https://pinakes.example' }, true],
  ['an old browser, another port', 'DELETE', { ...OWN, origin: 'https://pinakes.example:8443' }, false],
  ['an old browser, another site', 'PUT', { ...OWN, origin: 'https://pinakes.example.evil' }, false],
  ['an old browser, a sandboxed page', 'POST', { ...OWN, origin: 'null' }, false],
  ['an old browser, a write without origin', 'POST', OWN, false],
  ['an old browser, a read of our page', 'GET', OWN, true],
  ['an old browser, a read of another site', 'GET', { ...OWN, origin: 'https://evil.example' }, false],
  [
    'a picture of our page',
    'GET',
    { host: OWN.host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
    false,
  ],
  [
    'a picture of another site',
    'GET',
    { host: OWN.host, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    false,
  ],
  ['a picture of an unknown page', 'GET', { host: OWN.host, 'sec-fetch-dest': 'image' }, false],
  [
    'a form that calls itself a picture',
    'POST',
    { host: OWN.host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
    false,
  ],
  [
    'a frame of our page',
    'GET',
    { host: OWN.host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' },
    false,
  ],
];

for (const [name, method, headers, allowed] of CASES) {
  test(`${allowed ? 'may' : 'must not'} use the cookie: ${name}`, () => {
    assert.equal(mayUseCookie({ method, headers }), allowed);
    const request = { method, headers: { ...headers, cookie: `pinakes=${secret}` } };
    assert.equal(sessionSecretOf(request), allowed ? secret : undefined);
  });
}

test('the cookie is read among others, and only in its own form', () => {
  assert.equal(cookieOf(`a=b; pinakes=${secret}; c=d`), secret);
  assert.equal(
    cookieOf(`__Host-pinakes=${secret}; pinakes=${'x'.repeat(43)}`),
    secret,
    'the name that others cannot set wins',
  );
  for (const header of [
    undefined,
    '',
    'pinakes',
    'pinakes=',
    `pinakes=${secret}x`,
    `xpinakes=${secret}`,
    `pinakes="${secret}"`,
  ])
    assert.equal(cookieOf(header), undefined, header);
});

test('over https the cookie has the name that only https can set', () => {
  assert.match(
    cookieHeader('https://pinakes.example', secret, 60),
    /^__Host-pinakes=[\w-]{43}; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict; Secure$/,
  );
  assert.match(
    cookieHeader('http://127.0.0.1:7700', secret, 60),
    /^pinakes=[\w-]{43}; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict$/,
  );
});
