import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const SCRIPT = `
  import { collectWhenDoubled, releaseMemory } from ${JSON.stringify(new URL('../src/util/garbage.ts', import.meta.url).href)};
  collectWhenDoubled();
  const kept = Array.from({ length: 200_000 }, (_, i) => ({ i, text: 'value ' + i }));
  releaseMemory();
  process.stdout.write(String(kept.length));
`;

test('after a collection, the next one comes when the heap has doubled', () => {
  const args = ['--trace-gc-nvp', '--input-type=module', '--eval', SCRIPT];
  const last = execFileSync(process.execPath, args, { encoding: 'utf8' })
    .split('\n')
    .findLast((line) => line.includes('gc=mc'));
  const bytesOf = (name: string): number => Number(new RegExp(`\\b${name}=(\\d+)`).exec(last ?? '')?.[1]);
  // V8 adds the room for new objects.
  const limit = bytesOf('old_gen_allocation_limit') - bytesOf('new_space_capacity');
  const ratio = limit / bytesOf('end_object_size');
  assert.ok(ratio > 1.9 && ratio < 2.1, `${ratio} in ${last}`);
});
