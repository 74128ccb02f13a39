/** Compiles a redaction policy to a redactor. Pure: redactors.ts loads the policies. */
import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { openTurns, type Turns } from '../util/turns.ts';
import { besideHeaders } from './column-headers.ts';
import { isName, type NameEntity } from './detectors/entities.ts';
import { DETECTORS, NEEDS_WORDS } from './detectors/registry.ts';
import { openDictionary } from './dictionary.ts';
import { type FindNames, type NameSearch, openNameSearch, STREAM_STEP_LENGTH, WINDOW_LENGTH } from './names.ts';
import {
  ACTIONS,
  type ApplyAt,
  type RedactionAction,
  type RedactionPolicy,
  type RedactionRule,
} from './redaction-policy.ts';
import { type Finder, type FinderRule, openSession, type Session } from './redaction-session.ts';
import { openTokens } from './redaction-tokens.ts';
import { openPattern } from './tenant-pattern.ts';

export type { ApplyAt, RedactionPolicy } from './redaction-policy.ts';

/** A match in the given text; offsets are code points, half-open. */
export interface RedactionMatch {
  rule: string;
  kind: RedactionRule['kind'];
  entity: string | null;
  start: number;
  end: number;
  action: RedactionAction;
  /** The text that replaces the match. */
  replacement: string;
}

export interface Redacted {
  /** The redacted text; empty if the text is blocked. */
  text: string;
  matches: RedactionMatch[];
  /** True if a rule blocks the whole text. */
  blocked: boolean;
}

export interface RedactionStream {
  /** Returns the redacted text that no later text can change. Returns nothing more once the stream is blocked. */
  push(delta: string): Promise<string>;
  /** Returns the rest of the redacted text. */
  end(): Promise<string>;
  readonly blocked: boolean;
  /** The matches so far, with offsets in the text that was pushed. */
  readonly matches: readonly RedactionMatch[];
}

export interface Redactor {
  readonly version: number;
  /** Identifies the rules of the step `ingest`; empty without such rules. Sources stored under another mark must be read again. */
  readonly ingestMark: string;
  /** Returns false if no rule applies at this step, so texts pass unchanged. */
  appliesAt(at: ApplyAt): boolean;
  /** Returns true if a rule of this step blocks whole texts. */
  blocksAt(at: ApplyAt): boolean;
  /**
   * Redacts a text of any length. The redactor yields to other work between its steps, also between several texts. `any` applies
   * every rule. Do not call this function within a transaction: it may call the analyzer of names.
   *
   * @param header the header of a table whose rows the text continues: its first line that begins with a bar.
   * @throws ServiceError if the analyzer of names fails.
   */
  redact(text: string, at: ApplyAt | 'any', signal?: AbortSignal, header?: string): Promise<Redacted>;
  /** Redacts text that arrives in pieces. */
  stream(at: ApplyAt, signal?: AbortSignal): RedactionStream;
  /**
   * The same rules, with masks in place of hashes. For every text whose words a caller may choose: a caller who learns the hash of a
   * value of his choice can look for this hash in stored content.
   */
  readonly withoutHashes: Redactor;
}

/** Length of the text in UTF-16 units that is redacted between two checks of the time. */
const SLICE_LENGTH_MAX = 4_096;
const SLICE_LENGTH_MIN = 256;
const SLICE_LENGTH_FIRST = 512;
/** After a longer step, the next slice of the text is shorter. */
const STEP_MS_MAX = 8;

/** The state of a text that is being redacted. */
interface Opened {
  session: Session;
  /** Null if no rule needs names. */
  names: NameSearch | null;
  /** Length of the next slice. */
  sliceLength: number;
}

/**
 * Returns the redactor of a policy.
 *
 * @param findNames null if no analyzer of names is configured; rules that need names then fail.
 * @param turns shared with all other redaction in this process.
 */
export function compileRedactor(
  policy: RedactionPolicy,
  hashKey: Uint8Array,
  findNames: FindNames | null = null,
  turns: Turns = openTurns(),
): Redactor {
  const tokens = openTokens(hashKey);
  const found = policy.rules.flatMap((rule, order) => findersOf(rule).map((one) => ({ ...one, rule, order })));
  const redactorWith = (hashedAs: RedactionAction): Redactor =>
    redactorOf(
      policy,
      found.map(({ finder, entity, order, rule: { name, kind, action, apply_at } }) => ({
        at: new Set<string>([...apply_at, 'any']),
        finder,
        rule: {
          order,
          strictness: ACTIONS.indexOf(action),
          replace: tokens(action === 'hash' ? hashedAs : action, (entity ?? name).toUpperCase(), entity),
          blocks: action === 'block',
          describes: { rule: name, kind, entity, action },
        },
      })),
      ingestMarkOf(policy, hashKey),
      findNames,
      turns,
    );
  return { ...redactorWith('hash'), withoutHashes: redactorWith('mask') };
}

interface CompiledRule {
  /** The steps of the rule. */
  at: ReadonlySet<string>;
  /** The name of an entity stands for the analyzer of names. */
  finder: Finder | NameEntity;
  rule: Omit<FinderRule, 'finder'>;
}

/** Returns a redactor whose `withoutHashes` is the redactor itself. */
function redactorOf(
  policy: RedactionPolicy,
  compiled: readonly CompiledRule[],
  ingestMark: string,
  findNames: FindNames | null,
  turns: Turns,
): Redactor {
  const open = (at: ApplyAt | 'any', stepLength: number, header?: string): Opened => {
    const chosen = compiled.filter((one) => one.at.has(at));
    const wanted = [...new Set(chosen.flatMap(({ finder }) => (typeof finder === 'string' ? finder : [])))];
    const names = wanted.length === 0 ? null : openNameSearch(findNames ?? unconfigured, wanted, stepLength);
    const rules = chosen.map(({ finder, rule }) => ({
      ...rule,
      finder:
        typeof finder === 'string'
          ? names!.finderOf(finder)
          : NEEDS_WORDS.has(rule.describes.entity ?? '')
            ? besideHeaders(finder, header)
            : finder,
    }));
    return { session: openSession(rules), names, sliceLength: SLICE_LENGTH_FIRST };
  };
  /** Runs all steps of `work` and yields to other work in between. @returns the result and the duration of the longest step. */
  async function inTurns(
    work: Generator<undefined, string>,
    signal: AbortSignal | undefined,
  ): Promise<{ out: string; longestMs: number }> {
    let longestMs = 0;
    for (;;) {
      const turn = turns.wait();
      if (turn) await turn;
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const { done, value } = work.next();
      const tookMs = performance.now() - startedAt;
      turns.spent(tookMs, 0);
      longestMs = Math.max(longestMs, tookMs);
      if (done) return { out: value, longestMs };
    }
  }
  /** Adds text and returns the redacted text that no later text can change; with `isEnd`, all of it. */
  async function advance(opened: Opened, text: string, isEnd: boolean, signal?: AbortSignal): Promise<string> {
    const { session, names } = opened;
    for (let start = 0; names && start < text.length; start += SLICE_LENGTH_MAX) {
      await turns.wait();
      names.push(text.slice(start, start + SLICE_LENGTH_MAX));
      turns.spent(0, SLICE_LENGTH_MAX);
    }
    await names?.settle(isEnd, signal);
    const parts: string[] = [];
    for (let start = 0; start < text.length && !session.blocked; ) {
      const slice = text.slice(start, start + opened.sliceLength);
      start += slice.length;
      const { out, longestMs } = await inTurns(session.push(slice), signal);
      parts.push(out);
      turns.spent(0, slice.length);
      opened.sliceLength =
        longestMs > STEP_MS_MAX
          ? Math.max(SLICE_LENGTH_MIN, opened.sliceLength / 4)
          : Math.min(SLICE_LENGTH_MAX, opened.sliceLength * 2);
    }
    if (isEnd) parts.push((await inTurns(session.end(), signal)).out);
    return parts.join('');
  }
  const active = policy.enabled ? policy.rules : [];
  const appliesAt = new Set<string>(active.flatMap((rule) => rule.apply_at));
  const blocksAt = new Set<string>(active.flatMap((rule) => (rule.action === 'block' ? rule.apply_at : [])));

  return {
    version: policy.version,
    ingestMark,
    appliesAt: (at) => appliesAt.has(at),
    blocksAt: (at) => blocksAt.has(at),
    get withoutHashes() {
      return this;
    },
    async redact(text, at, signal, header) {
      const opened = open(at, WINDOW_LENGTH, header);
      const redacted = await advance(opened, text, true, signal);
      const { blocked, matches } = opened.session;
      return { text: blocked ? '' : redacted, matches, blocked };
    },
    stream(at, signal) {
      const opened = open(at, STREAM_STEP_LENGTH);
      return {
        push: (delta) => advance(opened, delta, false, signal),
        end: () => advance(opened, '', true, signal),
        get blocked() {
          return opened.session.blocked;
        },
        matches: opened.session.matches,
      };
    },
  };
}

const MARK_LENGTH = 32;
/** Raise this number when rules find more than before: sources that were stored under the old rules are then read again. */
const FINDERS_VERSION = 7;

/** Returns the mark of the rules of the step `ingest`; empty if no such rule is in force. */
export function ingestMarkOf({ enabled, rules }: RedactionPolicy, hashKey: Uint8Array): string {
  const atIngest = enabled ? rules.filter((rule) => rule.apply_at.includes('ingest')) : [];
  if (atIngest.length === 0) return '';
  const described = atIngest.map(({ apply_at: _, ...rule }) => rule);
  const digest = createHash('sha256').update(JSON.stringify([FINDERS_VERSION, ...described]));
  // Another key gives other hashes, so stored hashes become outdated.
  if (atIngest.some(({ action }) => action === 'hash')) digest.update(hashKey);
  return digest.digest('hex').slice(0, MARK_LENGTH);
}

/** Returns the finders of a rule; the name of an entity stands for the analyzer of names. */
function findersOf(rule: RedactionRule): { finder: Finder | NameEntity; entity: string | null }[] {
  switch (rule.kind) {
    case 'entity':
      return rule.entities.map((entity) => ({ finder: isName(entity) ? entity : DETECTORS[entity], entity }));
    case 'regex':
      return [{ finder: openPattern(rule.pattern, rule.ignore_case), entity: null }];
    case 'dictionary':
      return [
        {
          finder: openDictionary(rule.terms, { ignoreCase: rule.ignore_case, wholeWords: rule.whole_words }),
          entity: null,
        },
      ];
  }
}

function unconfigured(): never {
  throw new ServiceError(
    'upstream_failed',
    'The analyzer of names that the redaction policy needs is not configured any more.',
  );
}
