import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mcpPrograms, openAiExample } from './programs.ts';

const DOCS = join(import.meta.dirname, '..', '..', '..', '..', 'docs');
const URL = 'http://127.0.0.1:7700';
/** Returns the blocks of code of a page. JSON is written in one way, without its white space. */
const blocksOf = (page: string): string[] =>
  [...readFileSync(join(DOCS, page), 'utf8').matchAll(/```\w+\n([\s\S]*?)\n```/g)].map(([, block]) => plain(block!));
const plain = (block: string): string => (block.startsWith('{') ? JSON.stringify(JSON.parse(block)) : block);

test('the settings for programs are those of the documentation', () => {
  const blocks = blocksOf('mcp.md');
  for (const { name, settings } of mcpPrograms(URL)) assert.ok(blocks.includes(plain(settings)), name);
  assert.ok(blocksOf('openai.md').some((block) => block.startsWith(openAiExample(URL))));
});
