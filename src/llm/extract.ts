/**
 * Finds the passages of retrieved chunks that answer a question: extractive answering without a model. Pure.
 *
 * Passages are scored by passage-score.ts; when even the best one hardly answers, nothing is said.
 */
import { indexedContext } from '../util/link-line.ts';
import { cutIntoPieces, splitUnits, type UnitKind } from '../util/sentences.ts';
import { plainOf } from './letter-groups.ts';
import type { ContextChunk } from './models.ts';
import { answerLogOdds, type Candidate, NO_FEATURES, scorePassages } from './passage-score.ts';
import { type Analyzer, readQuestion } from './question.ts';

export const ANSWER_CODE_POINTS_MAX = 300;
/** A question for several things may be answered at more length. */
export const LIST_CODE_POINTS_MAX = 600;
export const PASSAGES_MAX = 5;
/** Somewhat less than a quote may have, so that a passage can be quoted whole. */
export const PASSAGE_CODE_POINTS_MAX = 290;
/** Chunks beyond this rank add noise, not answers. */
const CHUNKS_MAX = 12;
/**
 * A further passage must score at most this much less than the best one: it is then at least e^-2 as likely to hold the answer.
 * On the question sets of bench/answers.ts this makes answers 25 to 65 % shorter and loses .01 to .07 of the answer strings.
 */
const FURTHER_SCORE_DROP_MAX = 2;
/** Below, nothing is said. Where it stands between wrong answers and wrong silence: bench/answers.ts prints the curve. */
export const ANSWER_LOG_ODDS_MIN = -1.5;
/** Two passages are near-duplicates when the smaller shares this much of its terms with the larger. */
const DUPLICATE_OVERLAP_MIN = 0.8;

export interface Passage {
  number: number;
  kind: UnitKind;
  text: string;
  /** Position in the chunk, for reading order. */
  position: number;
  /** Logarithmic: a difference of 1 is a factor of e in how likely it holds the answer. */
  score: number;
}

/** What was found, and how likely it answers: the logarithm of the odds, to be compared with ANSWER_LOG_ODDS_MIN. */
export interface Extract {
  /** In answering order: those of one chunk stand together in reading order, chunks are ordered by their best passage. */
  passages: Passage[];
  logOdds: number;
}

/** The best passages; none when nothing matches. */
export function extractPassages(question: string, chunks: readonly ContextChunk[], analyzer: Analyzer): Extract {
  const top = [...chunks].sort((a, b) => b.score - a.score || a.number - b.number).slice(0, CHUNKS_MAX);
  const questions = new Map(top.map((chunk) => [chunk.language, readQuestion(question, chunk.language, analyzer)]));
  const candidates = top
    .flatMap((chunk) => candidatesOf(chunk, analyzer))
    .filter((one) => isQuotable(one.text, question));
  scorePassages(candidates, questions);
  const best = bestOf(candidates);
  if (best === undefined) return { passages: [], logOdds: Number.NEGATIVE_INFINITY };
  const chosen = choose(best, candidates, ASKS_SEVERAL.test(question) ? LIST_CODE_POINTS_MAX : ANSWER_CODE_POINTS_MAX);
  return {
    passages: inAnsweringOrder(chosen).map(({ number, kind, text, position, score }) => {
      return { number, kind, text, position, score };
    }),
    logOdds: answerLogOdds(best, candidates, questions),
  };
}

const ASKS_SEVERAL =
  /^\s*(?:list|name|enumerate)\b|\b(?:which|what) (?:are|were) (?:all )?the\b|\b(?:nenne|liste|zähle)\b|\bwelche sind\b|\b(?:quels|quelles|cu[aá]les|quali|quais)\b|どれら|列挙|列出|有哪些|나열/iu;

function candidatesOf(chunk: ContextChunk, analyzer: Analyzer): Candidate[] {
  const units = splitUnits(chunk.content);
  const titles = [chunk.name.replace(/\.[\p{L}\d]{1,5}$/u, ''), ...chunk.headingPath].join('\n');
  const context = indexedContext(chunk.context) ?? '';
  const above = new Set(analyzer.index(titles, chunk.language));
  const chunkTerms = new Set([...above, ...analyzer.index(context, chunk.language)]);
  const around = plainOf(`${titles}\n${context}`);
  let headingTerms = above;
  return units.flatMap((unit, position) => {
    const text = chunk.content.slice(unit.start, unit.end);
    const passages = passagesOf(text).map((piece) => {
      const order = analyzer.index(piece, chunk.language);
      for (const term of order) chunkTerms.add(term);
      return {
        number: chunk.number,
        kind: unit.kind,
        text: piece,
        position,
        score: 0,
        features: NO_FEATURES,
        terms: new Set(order),
        order,
        headingTerms,
        chunkLetters: 0,
        chunk,
        chunkTerms,
        around,
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

function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  const usable = candidates.filter((one) => one.features.own + one.features.near > 0);
  const ranked = usable.toSorted((a, b) => b.score - a.score);
  return ranked.find((one) => one.kind !== 'heading') ?? ranked[0];
}

function choose(best: Candidate, candidates: readonly Candidate[], codePointsMax: number): Candidate[] {
  const others = candidates
    .filter((one) => one !== best && one.kind !== 'heading' && one.features.own + one.features.near > 0)
    .sort((a, b) => b.score - a.score);
  const chosen: Candidate[] = [];
  let length = 0;
  for (const one of [best, ...others]) {
    if (chosen.length === PASSAGES_MAX || one.score < best.score - FURTHER_SCORE_DROP_MAX) break;
    const size = codePoints(one.text) + 1;
    if (length + size > codePointsMax || chosen.some((other) => isDuplicate(one, other))) continue;
    chosen.push(one);
    length += size;
  }
  return chosen;
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
