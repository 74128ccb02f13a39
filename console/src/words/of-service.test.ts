import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inLanguage } from './of-service.ts';
import { ofServiceDe } from './of-service-de.ts';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');
/** Titles of tools, of prompts and of columns of lists are no failures. */
const FAILING = ['files', 'ingest', 'connectors', 'tables/build'];
const texts = FAILING.flatMap((folder) => globSync(join(SRC, folder, '**', '*.ts')))
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(path, 'utf8'));
const titles = new Set(
  texts.flatMap((text) =>
    [...text.matchAll(/(?:\b(?:badFile|emptyFile)\(\s*'[a-z]+',\s*|\btitle: )'([^']+)'/g)].map(([, title]) => title!),
  ),
);

describe('what the service says, in German', () => {
  test('every title of a failure has German words', () => {
    assert.ok(titles.size > 80, `${titles.size} titles`);
    assert.deepEqual(
      [...titles].filter((title) => ofServiceDe[title] === undefined),
      [],
    );
  });

  test('no words are left for what the service does not say any more', () => {
    const all = globSync(join(SRC, '**', '*.ts'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const isSaid = (text: string) => text.split(/[#*]/).every((part) => all.includes(part.trim()));
    assert.deepEqual(
      Object.keys(ofServiceDe).filter((text) => !isSaid(text)),
      [],
    );
  });

  test('numbers go to their places, and a text without German words stays as it is', () => {
    const said = inLanguage(ofServiceDe);
    assert.equal(said('2 of 31 files failed'), '2 von 31 Dateien sind fehlgeschlagen');
    assert.equal(said('Not found.'), 'Das gibt es nicht oder nicht mehr.');
    assert.equal(said('gpt answers in 20 ms'), 'gpt answers in 20 ms');
    assert.equal(said('toString'), 'toString');
    assert.equal(said('The passage lacks the names Ann, 2 (B).'), 'Der Stelle fehlen die Namen Ann, 2 (B).');
    assert.equal(said('Access files cannot be read.'), 'Dateien der Art Access werden nicht gelesen.');
    assert.equal(said('The passage lacks the word none.'), 'Der Stelle fehlt das Wort none.');
    assert.equal(
      said('The chat model answered with status 500.'),
      'Das Chatmodell hat mit dem Status 500 geantwortet.',
    );
  });
});
