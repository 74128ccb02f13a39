/** Tenants and their keys take turns at embedding and rerank models, as they do at chat models (fair-turns.test.ts). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { loadConfig } from '../config.ts';
import type { HttpResponse } from '../net/http-client.ts';
import { withQueryCache } from './embedding/embedding.ts';
import { openRerankModel } from './rerank.ts';

const never = new AbortController().signal;
/** More calls than any of these models gets at once. */
const MANY = 30;

/** Starts many calls of one key, one of another key and one of another tenant. Returns the order in which the model gets them. */
async function orderOf(
  call: (tenantId: string, keyFamilyId: string, text: string) => Promise<unknown>,
  begun: string[],
  answerNext: () => void,
): Promise<string[]> {
  const all = Array.from({ length: MANY }, (_, i) => call('tenant', 'busy', `busy ${i}`));
  all.push(call('tenant', 'other', 'other key'), call('another', 'key', 'other tenant'));
  for (let i = 0; i < all.length; i++) {
    while (begun.length <= i) await turn();
    answerNext();
  }
  await Promise.all(all);
  return begun;
}

function assertTurns(order: readonly string[], atOnce: number): void {
  assert.equal(order.length, MANY + 2);
  assert.ok(order.indexOf('other tenant') <= atOnce + 1, `${order}`);
  assert.ok(order.indexOf('other key') <= atOnce + 2, `${order}`);
}

test('tenants and their keys take turns at an embedding model', async () => {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const model = {
    name: 'm',
    async embed([text]: readonly string[]): Promise<Float32Array[]> {
      begun.push(text!);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return [Float32Array.of(1)];
    },
  };
  const { embedQuery } = withQueryCache(() => model, 'm');
  const ask = (tenantId: string, family: string, text: string) => embedQuery(tenantId, 'm', text, never, family);
  assertTurns(await orderOf(ask, begun, () => waiting.shift()!()), 8);
});

test('tenants and their keys take turns at a rerank model', async () => {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const request = async (_url: string, { body }: { body?: unknown }): Promise<HttpResponse> => {
    begun.push((JSON.parse(String(body)) as { query: string }).query);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { status: 200, json: async () => [{ index: 0, score: 1 }] } as unknown as HttpResponse;
  };
  const { rerank } = loadConfig({ PINAKES_RERANK_MODEL: 'm', PINAKES_RERANK_BASE_URL: 'http://127.0.0.1:9/v1' });
  const model = openRerankModel(rerank, { request })!;
  const ask = (owner: string, part: string, text: string) => model.rerank(text, ['passage'], never, { owner, part });
  assertTurns(await orderOf(ask, begun, () => waiting.shift()!()), 16);
});
