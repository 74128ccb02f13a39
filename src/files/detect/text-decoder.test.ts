import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correctTextDecoder } from './text-decoder.ts';

/** Decodes as Node.js 22.18 to 24.13 do. */
class Wrong extends TextDecoder {
  override decode(...[bytes, options]: Parameters<InstanceType<typeof TextDecoder>['decode']>): string {
    if (this.encoding !== 'windows-1252' || options?.stream) return super.decode(bytes, options);
    return Buffer.from(bytes as Uint8Array).toString('latin1');
  }
}

const BYTES = Buffer.from('6c9c757672653a2035208020939694e9', 'hex');
const TEXT = 'lœuvre: 5 € “–”é';

test('windows-1252 is read correctly, also where TextDecoder is wrong', () => {
  assert.notEqual(new Wrong('windows-1252').decode(BYTES), TEXT);
  for (const Given of [Wrong, TextDecoder]) {
    const Decoder = correctTextDecoder(Given);
    for (const label of ['windows-1252', 'latin1', 'us-ascii']) assert.equal(new Decoder(label).decode(BYTES), TEXT);
    assert.equal(new Decoder('windows-1252', { fatal: true }).decode(BYTES), TEXT);
    assert.equal(new Decoder('windows-1251').decode(BYTES.subarray(-1)), 'й');
    const split = new Decoder();
    assert.equal(
      split.decode(Buffer.from('c3', 'hex'), { stream: true }) + split.decode(Buffer.from('a9', 'hex')),
      'é',
    );
    assert.throws(() => new Decoder('utf-8', { fatal: true }).decode(BYTES), TypeError);
  }
});

test('a correct class is used as it is', () => {
  assert.equal(
    new TextDecoder('windows-1252').decode(Uint8Array.of(0x80)) === '€',
    correctTextDecoder(TextDecoder) === TextDecoder,
  );
});
