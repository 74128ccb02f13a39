/**
 * Measures what hybrid search gains from a weak embedding model: `pinakes eval --calibrate` with vectors that are computed from the
 * corpus alone (TF-IDF and a singular value decomposition).
 *
 *   node bench/fusion.ts [set …]      (sets of ../shared/data/retrieval; default: scifact xquad-en xquad-de)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Calibration } from '../src/cli/eval/calibrate.ts';
import { entryText } from '../src/cli/eval/set.ts';
import { analyzeText } from '../src/text/analyzer.ts';
import { detectLanguage } from '../src/text/language.ts';
import { serveEmbeddings, trainSvd } from './support/svd-embeddings.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '../shared/data/retrieval');
/** Maximum loss of fusion against the better of the two halves. */
const LOSS_MAX = 0.01;

if (!existsSync(FOLDER)) throw new Error(`no question sets in ${FOLDER}`);
const given = process.argv.slice(2);
console.log('set          queries  weight  lexical  semantic  hybrid     gain  weight 0.5   by ranks');
for (const set of given.length > 0 ? given : ['scifact', 'xquad-en', 'xquad-de']) {
  const found = await measure(set);
  const shown = (value: number, width: number): string => value.toFixed(4).padStart(width);
  console.log(
    [
      set.padEnd(12),
      String(found.queries).padStart(7),
      found.weight.toFixed(2).padStart(7),
      shown(found.lexical, 8),
      shown(found.semantic, 9),
      shown(found.hybrid, 7),
      shown(found.gain, 8),
      shown(found.hybridByDefault, 11),
      shown(found.rrf, 10),
    ].join(' '),
  );
  if (found.gain < -LOSS_MAX) process.exitCode = 1;
}

async function measure(set: string): Promise<Calibration> {
  const entries = readFileSync(join(FOLDER, set, 'corpus.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { title?: string; text: string });
  const texts = entries.map(({ title, text }) => entryText(title ?? '', text));
  const language = detectLanguage(texts.slice(0, 20).join('\n'));
  const server = await serveEmbeddings(trainSvd(texts, (text) => analyzeText(text, language).split(' ')));
  try {
    return await calibrate(set, server.url);
  } finally {
    await server.close();
  }
}

async function calibrate(set: string, url: string): Promise<Calibration> {
  const command = ['src/cli/pinakes.ts', 'eval', join(FOLDER, set), '--calibrate', '--json'];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      PINAKES_EMBEDDING_MODEL: 'openai-compatible:svd',
      PINAKES_EMBEDDING_BASE_URL: url,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([child.stdout.toArray(), once(child, 'close')]);
  if (code !== 0) throw new Error(`pinakes eval ended with ${code}`);
  return JSON.parse(Buffer.concat(output as Buffer[]).toString('utf8')) as Calibration;
}
