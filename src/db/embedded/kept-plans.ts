/** Statements whose plan does not depend on their values: the engine reads and plans them once, and knows them by a name. */
import type { Sql } from '../sql.ts';
import { encodeValue } from '../values.ts';
import type { Engine } from './engine.ts';
import { boundStatement, type Reply, statement } from './wire.ts';

/** In the engine's memory; the others are planned each time. */
const KEPT_MAX = 100;

/** Its columns are others than they were (feature_not_supported), or it is not there (invalid_sql_statement_name). */
const STALE = new Set(['0A000', '26000']);

/** Runs a statement, by its name if it has one: `send` is called once, with the bytes. */
export type RunPlanned = (statement: Sql, send: (bytes: Buffer) => Promise<Reply>) => Promise<Reply>;

interface Kept {
  name: string;
  /** The engine has said that it knows it. */
  isKnown: boolean;
}

export function openKeptPlans(engine: Pick<Engine, 'generation'>): RunPlanned {
  const byText = new Map<string, Kept>();
  let { generation } = engine;
  let lastName = 0;
  return async ({ text, values, keepsPlan }, send) => {
    const encoded = values.map(encodeValue);
    if (!keepsPlan) return send(statement(text, encoded));
    if (generation !== engine.generation) byText.clear();
    generation = engine.generation;
    const known = byText.get(text);
    if (known?.isKnown) {
      const reply = await send(boundStatement(known.name, encoded));
      if (STALE.has((reply.error as { code?: string } | undefined)?.code ?? '')) byText.delete(text);
      return reply;
    }
    // Others that come before the engine's answer cannot know whether there will be such a name.
    if (known || byText.size >= KEPT_MAX) return send(statement(text, encoded));
    // Never a name from before: where the answer was not heard, the engine may know it all the same.
    const kept: Kept = { name: `kept_${++lastName}`, isKnown: false };
    byText.set(text, kept);
    try {
      const reply = await send(statement(text, encoded, kept.name));
      kept.isKnown = reply.isParsed;
      return reply;
    } finally {
      if (!kept.isKnown && byText.get(text) === kept) byText.delete(text);
    }
  };
}
