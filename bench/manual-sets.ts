/**
 * Makes question sets in BEIR layout from translated manuals, for languages that have no other set. A question is the title of a page
 * or the label of a control. The entry that answers it is the text of the page or the explanation of the control.
 *
 *   apt-get download libreoffice-help-{cs,de,el,es,pl,ru,tr,vi} libreoffice-l10n-{ar,cs,de,el,es,pl,ro,ru,sk,tr,vi}
 *   for f in *.deb; do dpkg-deb -x $f unpacked; done
 *   node bench/manual-sets.ts unpacked sets && npm run bench:retrieval -- --folder sets --chunks none
 *
 * Titles are shorter and vaguer than questions, and all texts describe one program. The figures are therefore lower than those of
 * other sets and compare only with each other.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { detectLanguage } from '../src/text/language.ts';

const TEXT_UNITS_MAX = 1_500;
const TEXT_UNITS_MIN = 300;
const TIP_WORDS_MIN = 6;

interface Pair {
  question: string;
  text: string;
}

const [unpacked = '', sets = ''] = process.argv.slice(2);
for (const language of ['cs', 'de', 'el', 'es', 'pl', 'ru', 'tr', 'vi']) write(`pages-${language}`, pages(language));
for (const language of ['ar', 'cs', 'de', 'el', 'es', 'pl', 'ro', 'ru', 'sk', 'tr', 'vi'])
  write(`tips-${language}`, tips(language));

/** Guides of the help that are completely translated. */
function pages(language: string): Pair[] {
  const folder = join(unpacked, 'usr/share/libreoffice/help', language, 'text');
  return globSync('**/guide/**/*.html', { cwd: folder }).flatMap((file) => {
    const { document } = parseHTML(readFileSync(join(folder, file), 'utf8'));
    const area = document.querySelector('#DisplayArea');
    const question = flat(area?.querySelector('h1')?.textContent);
    for (const part of area?.querySelectorAll('h1, h2, h3, h4, h5, h6, script, style, #DonationFrame') ?? [])
      part.remove();
    const text = flat(area?.textContent).slice(0, TEXT_UNITS_MAX);
    const translated = [text, text.slice(text.length / 2)].every((part) => detectLanguage(part) === language);
    return translated && question !== '' && text.length >= TEXT_UNITS_MIN ? [{ question, text }] : [];
  });
}

/** Labels of the user interface and the tips that explain them. */
function tips(language: string): Pair[] {
  const folder = join(unpacked, 'usr/lib/libreoffice/program/resource', language, 'LC_MESSAGES');
  return globSync('*.mo', { cwd: folder }).flatMap((file) => {
    const messages = readMessages(readFileSync(join(folder, file)));
    return [...messages].flatMap(([context, tip]) => {
      const [dialog, kind, control] = context.split('|');
      const label = kind === 'extended_tip' ? messages.get(`${dialog}|${control}`) : undefined;
      if (!label || label.text === label.original || tip.text === tip.original) return [];
      const question = label.text.replaceAll(/[_~]/g, '');
      const words = (text: string): number => text.split(' ').length;
      return words(question) > 1 && words(tip.text) >= TIP_WORDS_MIN ? [{ question, text: tip.text }] : [];
    });
  });
}

/** Reads a gettext catalogue (.mo, little-endian) as context -> message. */
function readMessages(bytes: Buffer): Map<string, { original: string; text: string }> {
  const string = (table: number, i: number): string => {
    const length = bytes.readUInt32LE(table + i * 8);
    const start = bytes.readUInt32LE(table + i * 8 + 4);
    return bytes.toString('utf8', start, start + length);
  };
  const [originals, translations] = [bytes.readUInt32LE(12), bytes.readUInt32LE(16)];
  const messages = new Map<string, { original: string; text: string }>();
  for (let i = 0; i < bytes.readUInt32LE(8); i += 1) {
    const [context, original] = string(originals, i).split('\u0004');
    if (context && original) messages.set(context, { original, text: string(translations, i) });
  }
  return messages;
}

function flat(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}

function write(name: string, pairs: readonly Pair[]): void {
  const unique = pairs.filter(
    ({ question, text }, i) => pairs.findIndex((other) => other.question === question || other.text === text) === i,
  );
  const folder = join(sets, name);
  if (unique.length === 0 || existsSync(folder)) return;
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  const lines = (values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  writeFileSync(join(folder, 'corpus.jsonl'), lines(unique.map(({ text }, i) => ({ _id: `p${i}`, text }))));
  writeFileSync(
    join(folder, 'queries.jsonl'),
    lines(unique.map(({ question }, i) => ({ _id: `q${i}`, text: question }))),
  );
  const judgements = unique.map((_, i) => `q${i}\tp${i}\t1\n`).join('');
  writeFileSync(join(folder, 'qrels/test.tsv'), `query-id\tcorpus-id\tscore\n${judgements}`);
}
