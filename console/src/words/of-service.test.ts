import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inLanguage } from './of-service.ts';
import { ofServiceDe } from './of-service-de.ts';
import { saidDe, serviceTextsDe } from './said-de.ts';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');
const FAILING = ['files', 'ingest', 'connectors', 'tables/build'];
const TITLES = [/(?:\b(?:badFile|emptyFile)\(\s*'[a-z]+',|\blastingError\(|\btitle:)\s*(?:'([^']+)'|`([^`]+)`)/g];
/** Texts in the failing folders that are no reasons: what manual pages say, and errors between processes of the service. */
const NO_REASON = [
  /^See \*/,
  /^The \* (utility|function)|^The \*\(\)/,
  /^A message /,
  /^Give another model another name\.$/,
];

const read = (paths: readonly string[]) =>
  paths.filter((path) => !path.endsWith('.test.ts')).map((path) => readFileSync(path, 'utf8'));
/** The texts of the failing folders without comments. */
const texts = read(FAILING.flatMap((folder) => globSync(join(SRC, folder, '**', '*.ts')))).map((text) =>
  text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s*\/\/.*$/gm, ''),
);

/** Returns the texts that a literal can become: one for each side of a choice within it. What else is put in becomes a star or a number. */
function textsOf(literal: string): string[] {
  const choice = /\$\{[^{}?]+\? '([^']*)' : '([^']*)'\}/s.exec(literal);
  if (choice)
    return choice
      .slice(1)
      .flatMap((side) =>
        textsOf(literal.slice(0, choice.index) + side + literal.slice(choice.index + choice[0].length)),
      );
  return [literal.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '*').replaceAll("\\'", "'")];
}

/** Returns the sentences of reasons: literals with a blank that begin as a sentence and end as one. */
function sentencesOf(text: string): string[] {
  return [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .filter((literal) => /^[A-Z$]/.test(literal) && / /.test(literal) && literal.endsWith('.'))
    .flatMap(textsOf)
    .flatMap((one) => one.split(/(?<=\.) (?=[A-Z])|^\* (?=[A-Z])/))
    .filter((sentence) => /[a-z] /.test(sentence) && !NO_REASON.some((pattern) => pattern.test(sentence)));
}

const titles = new Set(
  texts.flatMap((text) =>
    TITLES.flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap(([, plain, template]) => textsOf(plain ?? template!)),
    ),
  ),
);
const sentences = new Set(texts.flatMap(sentencesOf));
/** Whether a text has German words, whether a number or a word stands in its place. */
const isSaid = (text: string) =>
  ['7', 'x'].some((value) => saidDe(text.replaceAll('*', value)) !== text.replaceAll('*', value));

describe('what the service says, in German', () => {
  test('every title of a failure has German words', () => {
    assert.ok(titles.size > 100, `${titles.size} titles`);
    assert.deepEqual(
      [...titles].filter((title) => !isSaid(title)),
      [],
    );
  });

  test('every sentence of a reason has German words', () => {
    assert.ok(sentences.size > 280, `${sentences.size} sentences`);
    assert.deepEqual(
      [...sentences].filter((sentence) => !isSaid(sentence)),
      [],
    );
  });

  test('no words are left for what the service does not say any more', () => {
    const all = read(globSync(join(SRC, '**', '*.ts')))
      .join('\n')
      .replaceAll("\\'", "'");
    const walked = new Set([...titles, ...sentences].map((text) => text.replaceAll(/\d+/g, '*')));
    const isInUse = (text: string) =>
      walked.has(text.replaceAll('#', '*')) || text.split(/[#*]/).every((part) => all.includes(part.trim()));
    assert.deepEqual(
      Object.keys(serviceTextsDe).filter((text) => !isInUse(text)),
      [],
    );
  });

  test('a reason of several sentences is put into German sentence by sentence', () => {
    assert.equal(
      saidDe('GitHub answered with status 502. Try again later.'),
      'GitHub hat mit dem Status 502 geantwortet. Versuchen Sie es später noch einmal.',
    );
    assert.equal(
      saidDe('The PDF has no text layer. 3 of 12 pages are pictures.'),
      'Das PDF hat keine Textebene. 3 von 12 Seiten sind Bilder.',
    );
    assert.equal(
      saidDe('2 attachments were left out: empty, damaged, too large or too many.'),
      '2 Anhänge wurden ausgelassen: leer, beschädigt, zu groß oder zu viele.',
    );
    assert.equal(saidDe('The passage lacks the name Dr. Smith.'), 'Der Stelle fehlt der Name Dr. Smith.');
    assert.equal(saidDe('Chapter 1. The end.'), 'Chapter 1. The end.');
  });

  test('numbers go to their places, and a text without German words stays as it is', () => {
    const said = inLanguage(ofServiceDe);
    assert.equal(said('2 of 31 files failed'), '2 von 31 Dateien sind fehlgeschlagen');
    assert.equal(
      said('Nothing of this kind has this id or name, or it may not be seen with this key and principal.'),
      'Das gibt es nicht oder nicht mehr, oder dieser Schlüssel und diese Person dürfen es nicht sehen.',
    );
    assert.equal(said('tesseract 5.3, eng+deu'), 'tesseract 5.3, eng+deu');
    assert.equal(said('qwen3-4b answers in 20 ms'), 'qwen3-4b antwortet in 20 ms');
    assert.equal(
      said('e5-small answers with 384 dimensions in 7 ms'),
      'e5-small antwortet mit 384 Dimensionen in 7 ms',
    );
    assert.equal(
      said('chat openai:gpt-5, embedding none, rerank none, entailment none'),
      'Antworten openai:gpt-5, Vektoren none, Neuordnen none, Prüfen none',
    );
    assert.equal(said('toString'), 'toString');
    assert.equal(said('The passage lacks the names Ann, 2 (B).'), 'Der Stelle fehlen die Namen Ann, 2 (B).');
    assert.equal(
      said('Only other sentences of the passage have the numbers 8, 9.'),
      'Nur andere Sätze der Stelle haben die Zahlen 8, 9.',
    );
    assert.equal(said('Access files cannot be read.'), 'Dateien der Art Access werden nicht gelesen.');
    assert.equal(said('The passage lacks the word none.'), 'Der Stelle fehlt das Wort none.');
    assert.equal(
      said('The chat model answered with status 500.'),
      'Das Chatmodell hat mit dem Status 500 geantwortet.',
    );
  });
});
