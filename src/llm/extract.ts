/**
 * Finds the passages of retrieved chunks that answer a question: extractive answering without a model. Pure.
 *
 * A passage scores by the question's terms it holds, weighted by how rare they are among all passages, plus what its
 * headings hold, the order of the terms, and whether it has the kind of thing asked for (a number, a name).
 */
import { cutIntoPieces, splitUnits, type UnitKind } from '../util/sentences.ts';
import type { ContextChunk } from './models.ts';

export const ANSWER_CODE_POINTS_MAX = 600;
export const PASSAGES_MAX = 5;
/** Somewhat less than a quote may have, so that a passage can be quoted whole. */
export const PASSAGE_CODE_POINTS_MAX = 290;
/** Chunks beyond this rank add noise, not answers. */
const CHUNKS_MAX = 12;
/** Share of the question's terms that a passage (or, discounted, its chunk) must hold. */
const COVERAGE_MIN = 0.34;
const CHUNK_COVERAGE_WEIGHT = 0.6;
/** A further passage must score at least this share of the best one. */
const FURTHER_SCORE_MIN = 0.5;
/** Two passages are near-duplicates when the smaller shares this much of its terms with the larger. */
const DUPLICATE_OVERLAP_MIN = 0.8;

/** How text becomes terms, in reading order: `index` keeps every word, `query` drops what carries no topic. */
export interface Analyzer {
  index(text: string, language: string | null): readonly string[];
  query(text: string, language: string | null): readonly string[];
}

export interface Passage {
  number: number;
  kind: UnitKind;
  text: string;
  /** Position in the chunk, for reading order. */
  position: number;
  score: number;
}

interface Candidate extends Passage {
  terms: ReadonlySet<string>;
  order: readonly string[];
  headingTerms: ReadonlySet<string>;
  chunk: ContextChunk;
  chunkTerms: ReadonlySet<string>;
}

interface Question {
  terms: ReadonlySet<string>;
  order: readonly string[];
  /** Terms of proper names and numbers: they weigh double. */
  strong: ReadonlySet<string>;
  asksNumber: boolean;
  asksName: boolean;
}

/** The question as it reads in each language of the chunks. */
type Questions = ReadonlyMap<string | null, Question>;

/**
 * The best passages in answering order; empty when nothing usable matches.
 *
 * Passages of one chunk stand together in reading order; chunks are ordered by their best passage.
 */
export function extractPassages(question: string, chunks: readonly ContextChunk[], analyzer: Analyzer): Passage[] {
  const top = [...chunks].sort((a, b) => b.score - a.score || a.number - b.number).slice(0, CHUNKS_MAX);
  const questions = new Map(top.map((chunk) => [chunk.language, readQuestion(question, chunk.language, analyzer)]));
  const candidates = top
    .flatMap((chunk) => candidatesOf(chunk, analyzer))
    .filter((one) => isQuotable(one.text, question));
  score(candidates, questions, Math.max(...top.map((chunk) => chunk.score), Number.MIN_VALUE));
  const chosen = choose(candidates, questions);
  return inAnsweringOrder(chosen).map(({ number, kind, text, position, score }) => ({
    number,
    kind,
    text,
    position,
    score,
  }));
}

function readQuestion(question: string, language: string | null, analyzer: Analyzer): Question {
  const order = analyzer.query(question.replace(QUANTITY_WORDS, ' '), language);
  // A capital that does not open the question, or a digit.
  const marked =
    question.match(/(?<=[\p{L}\p{N},]\s+)\p{Lu}[\p{L}\p{M}\p{N}-]*|[\p{L}_]*\p{N}[\p{L}\p{N}._-]*/gu) ?? [];
  const isTitle = marked.length > order.length / 2;
  return {
    terms: new Set(order),
    order,
    strong: new Set(isTitle ? [] : marked.flatMap((word) => analyzer.query(word, language))),
    asksNumber: ASKS_NUMBER.test(question),
    asksName: ASKS_NAME.test(question),
  };
}

const QUANTITY_WORDS = /\bhow (?:many|much|long|often)\b|\bwie ?(?:viele?|lange|oft)\b|\bwieviele?\b/giu;
const ASKS_NUMBER =
  /\bhow (?:many|much|long|old|far|often|high|large|big|tall|deep|fast)\b|\bwhen\b|\bwhat (?:year|date|time|percentage|number|amount|age|price)\b|\bwie ?(?:viele?|lange|oft|hoch|gro[sß]+|weit|alt|teuer)\b|\bwann\b|\bcombien\b|\bquand\b|\bcu[aá]nt[oa]s?\b|\bcu[aá]ndo\b|\bquant[ioae]\b|\bquando\b|\bhoeveel\b|\bwanneer\b|сколько|когда|скільки|πόσ|πότε|\bkaç\b|ne zaman|bao nhiêu|khi nào|كم|متى|कितन|कब|กี่|เท่า(?:ไร|ไหร่)|เมื่อ(?:ไร|ไหร่)|何[日人年月時個回円歳件度分]|いくつ|いくら|いつ|どのくらい|どれくらい|多少|几[个天年月日人]|幾|何时|何時|哪[一]?年|몇|얼마|언제/iu;
const ASKS_NAME =
  /\bwho(?:m|se)?\b|\bwer\b|\bwem\b|\bwen\b|\bqui\b|\bqui[eé]n(?:es)?\b|\bchi\b|\bquem\b|\bwie\s+heißt|кто|ποιος|ποια|\bkim\b|\bai\b|من هو|कौन|किस|ใคร|誰|だれ|谁|누가|누구/iu;

function candidatesOf(chunk: ContextChunk, analyzer: Analyzer): Candidate[] {
  const units = splitUnits(chunk.content);
  const above = new Set(
    analyzer.index([chunk.name.replace(/\.[\p{L}\d]{1,5}$/u, ''), ...chunk.headingPath].join('\n'), chunk.language),
  );
  const chunkTerms = new Set([
    ...above,
    ...analyzer.index(chunk.content, chunk.language),
    ...analyzer.index(chunk.context ?? '', chunk.language),
  ]);
  let headingTerms = above;
  return units.flatMap((unit, position) => {
    const text = chunk.content.slice(unit.start, unit.end);
    const passages = passagesOf(text).map((piece) => {
      const order = analyzer.index(piece, chunk.language);
      return {
        number: chunk.number,
        kind: unit.kind,
        text: piece,
        position,
        score: 0,
        terms: new Set(order),
        order,
        headingTerms,
        chunk,
        chunkTerms,
      };
    });
    if (unit.kind === 'heading')
      headingTerms = new Set([...above, ...passages.flatMap((passage) => [...passage.terms])]);
    return passages;
  });
}

/** A unit longer than the limit falls into passages, each of as many of its pieces as fit. */
function passagesOf(text: string): string[] {
  if (codePoints(text) <= PASSAGE_CODE_POINTS_MAX) return [text];
  const passages: { start: number; end: number }[] = [];
  for (const piece of cutIntoPieces(text, 0, text.length)) {
    const last = passages[passages.length - 1];
    if (last !== undefined && codePoints(text.slice(last.start, piece.end)) <= PASSAGE_CODE_POINTS_MAX)
      last.end = piece.end;
    else passages.push({ ...piece });
  }
  return passages.map(({ start, end }) => text.slice(start, end).trim()).filter((passage) => passage !== '');
}

function codePoints(text: string): number {
  return [...text].length;
}

/** Speech to a machine, or markup, which no reader of the source was meant to read as its content. */
const ADDRESSES_MODEL =
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|prompts?|rules|directions|guidelines|messages?|context)\b|\bsystem\s*(?:prompt|message|instruction|:)|\byou are (?:now )?(?:an? )?(?:ai|chatgpt|gpt|language model|assistant|dan)\b|\b(?:as an ai|do not cite|cite nothing|answer (?:only )?with|respond (?:only )?with|reveal (?:the|your))\b|<\|?(?:im_start|im_end|system|endoftext)|\[\/?inst\]|\bignoriere?\b.{0,40}\banweisung|\bignore[zr]?\b.{0,40}\b(?:instructions|instrucciones)|ignora.{0,40}(?:instrucciones|istruzioni|instruções)|игнорируй.{0,40}(?:инструкц|указан)|(?:指示|命令).{0,10}無視|(?:忽略|无视|無視).{0,20}(?:指示|指令|提示)|(?:지시|명령).{0,10}무시/iu;

/** False for instructions to a model, unless the question is about such things, and for passages without a letter or digit. */
function isQuotable(text: string, question: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return false;
  if (!ADDRESSES_MODEL.test(text)) return true;
  return /\b(?:instruction|prompt|inject|jailbreak|ignore)/iu.test(question) || ADDRESSES_MODEL.test(question);
}

function score(candidates: Candidate[], questions: Questions, bestChunkScore: number): void {
  const frequency = new Map<string, number>();
  for (const { terms } of candidates) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  for (const [i, candidate] of candidates.entries()) {
    const question = questions.get(candidate.chunk.language)!;
    const weigh = (isCounted: (term: string) => boolean): number =>
      sum(
        [...question.terms]
          .filter((term) => frequency.has(term) && isCounted(term))
          .map((term) => {
            const count = frequency.get(term)!;
            return (
              Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5)) * (question.strong.has(term) ? 1.5 : 1)
            );
          }),
      );
    const total = weigh(() => true) || 1;
    const before = candidates[i - 1]?.chunk === candidate.chunk ? candidates[i - 1] : undefined;
    const own = weigh((term) => candidate.terms.has(term)) / total;
    const above = weigh((term) => candidate.headingTerms.has(term) && !candidate.terms.has(term)) / total;
    const near = weigh((term) => before?.terms.has(term) === true && !candidate.terms.has(term)) / total;
    let value = own + 0.35 * above + 0.2 * near + 0.15 * orderBonus(candidate.order, question);
    if (own + above > 0 && question.asksNumber && /\p{N}/u.test(candidate.text)) value += 0.25;
    if (own + above > 0 && question.asksName && /(?<=\S\s)\p{Lu}\p{Ll}/u.test(candidate.text)) value += 0.1;
    candidate.score =
      value * shapeFactor(candidate) * (0.75 + (0.25 * Math.max(0, candidate.chunk.score)) / bestChunkScore);
  }
}

/** Share of neighbouring question terms that stand near each other, in that order. */
function orderBonus(order: readonly string[], question: Question): number {
  const positions = new Map<string, number[]>();
  order.forEach((term, i) => {
    if (question.terms.has(term)) positions.set(term, [...(positions.get(term) ?? []), i]);
  });
  let pairs = 0;
  for (let i = 1; i < question.order.length; i++) {
    const left = positions.get(question.order[i - 1]!) ?? [];
    const right = positions.get(question.order[i]!) ?? [];
    if (left.some((at) => right.some((other) => other > at && other - at <= 3))) pairs++;
  }
  return pairs / Math.max(1, question.order.length - 1);
}

/** Headings and scraps say little; a question in the text is not its answer. */
function shapeFactor({ kind, text }: Candidate): number {
  const length = [...text].length;
  let factor = kind === 'heading' ? 0.3 : 1;
  if (length < 12) factor *= 0.6;
  if (/[?？؟]\s*$/.test(text)) factor *= 0.5;
  return factor;
}

function choose(candidates: readonly Candidate[], questions: Questions): Candidate[] {
  const ranked = candidates
    .filter((one) => one.score > 0 && isUsable(one, questions.get(one.chunk.language)!))
    .sort((a, b) => b.score - a.score);
  const best = ranked.find((one) => one.kind !== 'heading') ?? ranked[0];
  if (best === undefined) return [];
  const chosen: Candidate[] = [];
  let length = 0;
  for (const one of [best, ...ranked.filter((other) => other !== best)]) {
    if (chosen.length === PASSAGES_MAX || one.score < best.score * FURTHER_SCORE_MIN) break;
    const size = [...one.text].length + 1;
    if (length + size > ANSWER_CODE_POINTS_MAX || chosen.some((other) => isDuplicate(one, other))) continue;
    if (chosen.length > 0 && one.kind === 'heading') continue;
    chosen.push(one);
    length += size;
  }
  return chosen;
}

/** Enough of the question is there: in the passage with its headings, or at least around it. */
function isUsable(one: Candidate, question: Question): boolean {
  if (question.terms.size === 0) return false;
  const share = (terms: (term: string) => boolean): number => {
    const weigh = (term: string) => (question.strong.has(term) ? 2 : 1);
    const all = [...question.terms];
    return sum(all.filter(terms).map(weigh)) / sum(all.map(weigh));
  };
  const own = share((term) => one.terms.has(term));
  const withHeadings = share((term) => one.terms.has(term) || one.headingTerms.has(term));
  if (own === 0 && withHeadings === 0) return false;
  return Math.max(withHeadings, CHUNK_COVERAGE_WEIGHT * share((term) => one.chunkTerms.has(term))) >= COVERAGE_MIN;
}

function isDuplicate(left: Candidate, right: Candidate): boolean {
  const [small, large] = left.terms.size <= right.terms.size ? [left.terms, right.terms] : [right.terms, left.terms];
  if (small.size === 0) return left.text === right.text;
  return [...small].filter((term) => large.has(term)).length / small.size >= DUPLICATE_OVERLAP_MIN;
}

function inAnsweringOrder(chosen: readonly Candidate[]): Candidate[] {
  const numbers = [...new Set(chosen.map((one) => one.number))];
  return numbers.flatMap((number) =>
    chosen
      .filter((one) => one.number === number)
      .sort((a, b) => a.position - b.position || chosen.indexOf(a) - chosen.indexOf(b)),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
