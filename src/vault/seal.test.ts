import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { generateMasterKeyText, openValue, readMasterKey, rewrapKey, SealBroken, sealValue } from './seal.ts';

const owner = { tenantId: 'tenant-1', secretId: 'secret-1' };
const value = '{"type":"service_account","private_key":"größe 😀"}';
const key = () => readMasterKey(generateMasterKeyText())!;

describe('master keys', () => {
  test('are 32 bytes in base64, base64url or hex', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const ids = ['base64', 'base64url', 'hex'].map((form) => readMasterKey(bytes.toString(form as 'hex'))?.id);
    assert.equal(new Set(ids).size, 1);
    assert.match(ids[0] ?? '', /^[\w-]{12}$/);
    for (const text of ['', 'short', 'x'.repeat(45), bytes.toString('hex').slice(1), `${'a'.repeat(42)}!`]) {
      assert.equal(readMasterKey(text), undefined, text);
    }
  });
  test('hide their bytes in logs and JSON', () => {
    const text = generateMasterKeyText();
    const shown = inspect(readMasterKey(text), { depth: 9 }) + JSON.stringify(readMasterKey(text));
    assert.ok(!shown.includes(text.slice(0, 20)));
    assert.ok(!shown.includes(Buffer.from(text, 'base64').toString('hex').slice(0, 20)));
  });
});

describe('a sealed value', () => {
  test('opens to the same value, and has other bytes each time', () => {
    const master = key();
    for (const text of ['x', value, '😀'.repeat(5000)])
      assert.equal(openValue(master, owner, sealValue(master, owner, text)), text);
    const [a, b] = [sealValue(master, owner, value), sealValue(master, owner, value)];
    assert.ok(!a.sealed.equals(b.sealed));
    assert.ok(!a.wrappedKey.equals(b.wrappedKey));
    assert.ok(!Buffer.concat([a.sealed, a.wrappedKey]).includes('service_account'));
  });
  test('does not open with another master key, tenant or secret', () => {
    const master = key();
    const stored = sealValue(master, owner, value);
    assert.throws(() => openValue(key(), owner, stored), SealBroken);
    assert.throws(() => openValue(master, { ...owner, tenantId: 'tenant-2' }, stored), SealBroken);
    assert.throws(() => openValue(master, { ...owner, secretId: 'secret-2' }, stored), SealBroken);
    // The parts of two sealed values of one owner cannot be mixed.
    const other = sealValue(master, owner, value);
    assert.throws(() => openValue(master, owner, { ...stored, sealed: other.sealed }), SealBroken);
  });
  test('does not open when any byte was changed', () => {
    const master = key();
    const stored = sealValue(master, owner, 'secret');
    for (const part of ['sealed', 'wrappedKey'] as const) {
      for (let i = 0; i < stored[part].length; i++) {
        const bytes = Buffer.from(stored[part]);
        bytes[i]! ^= 1;
        assert.throws(() => openValue(master, owner, { ...stored, [part]: bytes }), SealBroken, `${part} byte ${i}`);
      }
      const cut = stored[part].subarray(0, 20);
      assert.throws(() => openValue(master, owner, { ...stored, [part]: cut }), SealBroken);
      assert.throws(() => openValue(master, owner, { ...stored, [part]: stored[part].subarray(0, -1) }), SealBroken);
    }
  });
  test('opens to the same value with the new master key after rewrapping', () => {
    const [from, to] = [key(), key()];
    const stored = sealValue(from, owner, value);
    const rewrapped = { ...stored, keyId: to.id, wrappedKey: rewrapKey(from, to, owner, stored.wrappedKey) };
    assert.equal(openValue(to, owner, rewrapped), value);
    assert.throws(() => openValue(from, owner, rewrapped), SealBroken);
    assert.throws(() => rewrapKey(to, from, owner, stored.wrappedKey), SealBroken);
  });
});
