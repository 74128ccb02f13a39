import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forTenants, openChecks } from './checks.ts';

const AT = new Date('2026-03-01T12:00:00Z');

test('a tenant sees neither paths nor addresses nor numbers of others', () => {
  const all = [
    { name: 'data directory', ok: true, detail: '/var/lib/pinakes' },
    { name: 'blob store', ok: true, detail: '/var/lib/pinakes/blobs' },
    { name: 'contents', ok: true, detail: '7 tenants, 90 source groups' },
    { name: 'chat model', ok: false, detail: 'http://10.0.0.7/v1 refused the connection' },
    { name: 'OCR', ok: true, detail: 'tesseract 5.3, eng+deu' },
    {
      name: 'LibreOffice',
      ok: true,
      detail: 'not found: doc, xls and ppt files are read without lists and charts',
      fix: 'apt-get install x',
    },
    { name: 'analyzer of names', ok: true, detail: 'none: redaction rules find no names of people and places' },
    { name: 'master key', ok: true, detail: '/var/lib/pinakes/master.key, no secrets yet' },
    { name: 'something new', ok: false, detail: '/etc/secret' },
  ];
  const { ok, checks } = forTenants(all, AT);
  assert.equal(ok, false);
  assert.deepEqual(checks, [
    { name: 'blob store', ok: true, detail: 'works', fix: null },
    {
      name: 'chat model',
      ok: false,
      detail: 'fails: the operator finds the reason with "pinakes doctor"',
      fix: 'pinakes doctor',
    },
    { name: 'OCR', ok: true, detail: 'tesseract 5.3, eng+deu', fix: null },
    {
      name: 'LibreOffice',
      ok: true,
      detail: 'not found: doc, xls and ppt files are read without lists and charts',
      fix: 'apt-get install x',
    },
    {
      name: 'analyzer of names',
      ok: true,
      detail: 'none: redaction rules find no names of people and places',
      fix: null,
    },
    { name: 'master key', ok: true, detail: 'works', fix: null },
  ]);
});

test('checks run once in 30 seconds, and again after a failure', async () => {
  let now = AT;
  let runs = 0;
  let fails = false;
  const check = openChecks(
    async () => {
      runs += 1;
      if (fails) throw new Error('no database');
      return { checks: [{ name: 'database', ok: true, detail: '' }] };
    },
    () => now,
  );
  assert.deepEqual(
    (await Promise.all([check(), check()])).map(({ at }) => at),
    [AT, AT],
  );
  assert.equal(runs, 1);
  now = new Date(AT.getTime() + 30_000);
  assert.equal((await check()).at, now);
  assert.equal(runs, 2);
  fails = true;
  now = new Date(AT.getTime() + 60_000);
  await assert.rejects(check());
  fails = false;
  await check();
  assert.equal(runs, 4);
});
