/** Service account keys and their access tokens, against a fake Google. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openDriveConnector } from '../../../src/connectors/drive/connector.ts';
import { ServiceError } from '../../../src/errors.ts';
import { openHttpClient } from '../../../src/net/http-client.ts';
import { type DriveWorld, HOUR_MS, openDriveWorld } from '../../support/worlds/drive-world.ts';

let world: DriveWorld;
before(async () => {
  world = await openDriveWorld();
});
after(() => world[Symbol.asyncDispose]());

test('settings of a Drive source are checked without a request', () => {
  const { connector, fake } = world;
  const folder = fake.state.root;
  const origin = (folderUrl: string) => ({ kind: 'drive' as const, folderUrl });
  connector.check(origin(folder), fake.key);
  const bad = (call: () => void, message: RegExp) =>
    assert.throws(
      call,
      (error) => error instanceof ServiceError && error.code === 'invalid_request' && message.test(error.message),
    );
  bad(() => connector.check(origin('https://example.com/x'), fake.key), /folder_url/);
  const key = JSON.parse(fake.key);
  const with_ = (members: object) => JSON.stringify({ ...key, ...members });
  bad(() => connector.check(origin(folder), 'secret nonsense'), /not JSON/);
  bad(() => connector.check(origin(folder), with_({ type: 'authorized_user' })), /service_account/);
  bad(() => connector.check(origin(folder), with_({ client_email: 5 })), /client_email/);
  const others = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('rsa-pss', { modulusLength: 1024 }),
  ].map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const private_key of ['SECRET-nonsense', key.private_key.slice(0, 200), ...others])
    assert.throws(
      () => connector.check(origin(folder), with_({ private_key })),
      (error) => error instanceof ServiceError && /RSA/.test(error.message) && !error.message.includes('SECRET'),
    );
  assert.equal(fake.requests.length, 0);
});

test('an access token is requested once, again before it expires, and again after a refusal', async () => {
  await using own = await openDriveWorld();
  const start = new Date();
  own.fake.state.addFile(own.fake.state.root, 'a.txt', 'a');
  await Promise.all([own.list(), own.list(), own.list()]);
  assert.equal(own.fake.count('token'), 1);
  own.setNow(new Date(start.getTime() + 0.9 * HOUR_MS));
  await own.list();
  assert.equal(own.fake.count('token'), 1);
  own.setNow(new Date(start.getTime() + 0.97 * HOUR_MS));
  await own.list();
  assert.equal(own.fake.count('token'), 2, 'before it ends');
  own.fake.expireTokens();
  await own.list();
  assert.equal(own.fake.count('token'), 3, 'after it was refused');
});

test('no request is sent to an address in a service account key', async () => {
  const evil = await openDriveWorld();
  await using own = await openDriveWorld({
    keyMembers: { token_uri: `${evil.fake.url}/token`, auth_uri: evil.fake.url, universe_domain: '127.0.0.1' },
  });
  await own.list();
  assert.equal(evil.fake.requests.length, 0);
  await evil[Symbol.asyncDispose]();
});

test('without an address of the operator, requests go to Google', async () => {
  for (const baseUrl of [null, 'https://www.googleapis.com']) {
    const lookups = new Set<string>();
    const http = openHttpClient({
      allow: [],
      lookup: async (host) => {
        lookups.add(host);
        return [];
      },
    });
    const clock = { now: () => new Date() };
    const connector = openDriveConnector({ http, baseUrl, clock, readsPictures: false, retryBaseMs: 1 });
    const origin = { kind: 'drive' as const, folderUrl: world.fake.state.root };
    const request = {
      cursor: null,
      resume: null,
      findStored: async () => undefined,
      signal: new AbortController().signal,
    };
    await assert.rejects(Array.fromAsync(connector.list(origin, world.fake.key, request)));
    assert.deepEqual([...lookups], ['oauth2.googleapis.com']);
    await http.close();
  }
});
