/** What a compiled redaction policy does. Pure: see redactors.ts for where policies come from. */
import { createHash } from 'node:crypto';
import { detectorOf } from './detectors/registry.ts';
import { openDictionary } from './dictionary.ts';
import {
  ACTIONS,
  type ApplyAt,
  type RedactionAction,
  type RedactionPolicy,
  type RedactionRule,
} from './redaction-policy.ts';
import { type Finder, type FinderRule, openSession } from './redaction-session.ts';
import { openTokens } from './redaction-tokens.ts';
import { openPattern } from './tenant-pattern.ts';

export type { ApplyAt, RedactionPolicy } from './redaction-policy.ts';

/** Offsets are code points of the text that was given, half-open. */
export interface RedactionMatch {
  rule: string;
  kind: RedactionRule['kind'];
  entity: string | null;
  start: number;
  end: number;
  action: RedactionAction;
  /** What stands in its place. */
  replacement: string;
}

export interface Redacted {
  /** Empty when it is blocked. */
  text: string;
  matches: RedactionMatch[];
  /** A rule withholds the text as a whole. */
  blocked: boolean;
}

export interface RedactionStream {
  /** Returns what may go out already. Nothing more once it is blocked. */
  push(delta: string): string;
  /** The rest. */
  end(): string;
  readonly blocked: boolean;
}

export interface Redactor {
  readonly version: number;
  /** Names the rules of the step `ingest`; empty: there are none. What was stored under another mark is to be read anew. */
  readonly ingestMark: string;
  /** False: no rule applies there, the text can be passed on as it is. */
  appliesAt(at: ApplyAt): boolean;
  /** At once, however long that takes: where nobody waits, as in a process that parses files. `any` applies every rule. */
  redact(text: string, at: ApplyAt | 'any'): Redacted;
  /** The same, for texts of any length and rules of any cost: lets others run in between, also between several texts. */
  redactLong(text: string, at: ApplyAt | 'any', signal?: AbortSignal): Promise<Redacted>;
  /** For text that arrives in pieces. */
  stream(at: ApplyAt): RedactionStream;
}

/** Of a text that is there as a whole: bounds the memory that it takes, in UTF-16 units. */
const PIECE_LENGTH = 65_536;
/** Text that is worked on before the time is looked at, in UTF-16 units. */
const SLICE_LENGTH_MAX = 4_096;
const SLICE_LENGTH_MIN = 16;
const SLICE_LENGTH_FIRST = 256;
/** Work of `redactLong` after which others run: time, and UTF-16 units of all texts together. */
const TURN_MS_MAX = 8;
const TURN_LENGTH_MAX = 16_384;

export function compileRedactor(policy: RedactionPolicy, hashKey: Uint8Array): Redactor {
  const tokens = openTokens(hashKey);
  const compiled = policy.rules.flatMap((rule, order) =>
    findersOf(rule).map(({ finder, entity }) => ({
      at: new Set<string>([...rule.apply_at, 'any']),
      rule: {
        finder,
        order,
        strictness: ACTIONS.indexOf(rule.action),
        replace: tokens(rule.action, (entity ?? rule.name).toUpperCase(), entity),
        blocks: rule.action === 'block',
        describes: { rule: rule.name, kind: rule.kind, entity, action: rule.action },
      } satisfies FinderRule,
    })),
  );
  const rulesAt = (at: ApplyAt | 'any'): FinderRule[] =>
    compiled.filter((one) => one.at.has(at)).map(({ rule }) => rule);
  // Of all calls since others could run: a search redacts many short texts.
  let busyMs = 0;
  let busyLength = 0;
  const appliesAt = new Set<string>(policy.enabled ? policy.rules.flatMap((rule) => rule.apply_at) : []);

  return {
    version: policy.version,
    ingestMark: ingestMarkOf(policy, hashKey),
    appliesAt: (at) => appliesAt.has(at),
    redact(text, at) {
      const session = openSession(rulesAt(at));
      const parts: string[] = [];
      let start = 0;
      for (; text.length - start > PIECE_LENGTH && !session.blocked; start += PIECE_LENGTH)
        parts.push(session.push(text.slice(start, start + PIECE_LENGTH)));
      parts.push(session.end(text.slice(start)));
      return { text: session.blocked ? '' : parts.join(''), matches: session.matches, blocked: session.blocked };
    },
    async redactLong(text, at, signal) {
      const session = openSession(rulesAt(at));
      const parts: string[] = [];
      let length = SLICE_LENGTH_FIRST;
      for (let start = 0; start < text.length && !session.blocked; ) {
        const startedAt = performance.now();
        const slice = text.slice(start, start + length);
        parts.push(session.push(slice));
        start += length;
        const tookMs = performance.now() - startedAt;
        length = tookMs > TURN_MS_MAX ? Math.max(SLICE_LENGTH_MIN, length / 4) : Math.min(SLICE_LENGTH_MAX, length * 2);
        busyMs += tookMs;
        busyLength += slice.length;
        if (busyMs >= TURN_MS_MAX || busyLength >= TURN_LENGTH_MAX) {
          busyMs = 0;
          busyLength = 0;
          await new Promise((resolve) => setImmediate(resolve));
        }
        signal?.throwIfAborted();
      }
      parts.push(session.end());
      return { text: session.blocked ? '' : parts.join(''), matches: session.matches, blocked: session.blocked };
    },
    stream: (at) => openSession(rulesAt(at)),
  };
}

const MARK_LENGTH = 32;

/** Empty: no rule applies when something is ingested. */
export function ingestMarkOf({ enabled, rules }: RedactionPolicy, hashKey: Uint8Array): string {
  const atIngest = enabled ? rules.filter((rule) => rule.apply_at.includes('ingest')) : [];
  if (atIngest.length === 0) return '';
  const digest = createHash('sha256').update(JSON.stringify(atIngest.map(({ apply_at: _, ...rule }) => rule)));
  // Another key, other hashes.
  if (atIngest.some(({ action }) => action === 'hash')) digest.update(hashKey);
  return digest.digest('hex').slice(0, MARK_LENGTH);
}

function findersOf(rule: RedactionRule): { finder: Finder; entity: string | null }[] {
  switch (rule.kind) {
    case 'entity':
      return rule.entities.map((entity) => ({ finder: detectorOf(entity), entity }));
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
