/**
 * Compares the tool `search` of `/mcp` with `POST /search` on the 5,183 texts of SciFact: `npm run bench:mcp`.
 *
 * Both get the same requests of one client, in turns; no query repeats. The MCP requests are those of the official client. Prints the
 * percentiles of both, and exits with 1 when the 95th percentile of the tool is more than 15 ms above that of the search.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { percentile } from '../../src/retrieval/ranking/measures.ts';
import { connectMcp } from '../../test/support/mcp.ts';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { ingestFiles } from '../support/ingest-files.ts';
import { post } from '../support/post.ts';

const FILES_PER_UPLOAD = 2_000;
const WARM_UP = 60;
const BEYOND_MS_MAX = 15;
const folder = path.resolve(import.meta.dirname, '../../../shared/data/retrieval/scifact');

function readLines<T>(name: string): T[] {
  return readFileSync(path.join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-bench-mcp-'));
const service = await startServiceProcess({ dataDir });
let isBad = true;
try {
  const files = readLines<{ _id: string; title: string; text: string }>('corpus.jsonl').map(({ _id, title, text }) => ({
    name: `${_id}.txt`,
    content: `${title}\n\n${text}`,
  }));
  for (let at = 0; at < files.length; at += FILES_PER_UPLOAD) {
    await ingestFiles(service, files.slice(at, at + FILES_PER_UPLOAD));
  }
  const queries = readLines<{ text: string }>('queries.jsonl').map(({ text }) => text);
  const doors = { url: async () => service.url };
  const headers = { 'x-api-key': service.key };
  const clients = {
    'mcp 2025-11-25': await connectMcp(doors, '2025-11-25', headers),
    'mcp 2026-07-28': await connectMcp(doors, '2026-07-28', headers),
  };
  const ways: [name: string, search: (query: string) => Promise<unknown>][] = [
    ['search', (query) => post(service, '/search', JSON.stringify({ query, limit: 10 }))],
    ...Object.entries(clients).map(([name, client]): (typeof ways)[number] => [
      name,
      async (query) => {
        const answer = await client.callTool({ name: 'search', arguments: { query, limit: 10 } });
        if (answer.isError) throw new Error(JSON.stringify(answer));
      },
    ]),
  ];
  const times = new Map(ways.map(([name]) => [name, [] as number[]]));
  // The way of a query changes from round to round, so each way gets queries of all kinds.
  for (const [i, query] of queries.entries()) {
    const [name, search] = ways[i % ways.length]!;
    const startedAt = performance.now();
    await search(query);
    if (i >= WARM_UP) times.get(name)!.push(performance.now() - startedAt);
  }
  for (const client of Object.values(clients)) await client.close();
  console.log('way              queries     p50     p95  ms');
  for (const [name, all] of times) {
    const cells = [
      String(all.length).padStart(7),
      ...[0.5, 0.95].map((share) => percentile(all, share).toFixed(1).padStart(7)),
    ];
    console.log(`${name.padEnd(17)}${cells.join(' ')}`);
  }
  const [plain, ...tools] = [...times.values()].map((all) => percentile(all, 0.95));
  isBad = tools.some((p95) => p95 > plain! + BEYOND_MS_MAX);
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isBad ? 1 : 0;
