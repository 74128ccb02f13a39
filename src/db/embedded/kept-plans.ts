/** Prepared statements of the embedded engine (sql.ts: keepPlan). The engine parses and plans each of them once, under a name. */
import type { Sql } from '../sql.ts';
import { encodeValue } from '../values.ts';
import type { Engine } from './engine.ts';
import { boundStatement, type Reply, statement } from './wire.ts';

/** Most prepared statements, which take the engine's memory. Further statements are planned each time. */
const KEPT_MAX = 100;

/** The columns of a prepared statement changed (feature_not_supported), or it does not exist (invalid_sql_statement_name). */
const STALE = new Set(['0A000', '26000']);

/** Runs a statement, by its name if it has one. Calls `send` once, with the bytes. */
export type RunPlanned = (statement: Sql, send: (bytes: Buffer) => Promise<Reply>) => Promise<Reply>;

interface Kept {
  name: string;
  /** The engine has confirmed the name. */
  isPrepared: boolean;
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
    const existing = byText.get(text);
    if (existing?.isPrepared) {
      const reply = await send(boundStatement(existing.name, encoded));
      if (STALE.has((reply.error as { code?: string } | undefined)?.code ?? '')) byText.delete(text);
      return reply;
    }
    // Statements that come before the engine's answer cannot know whether the engine will have the name.
    if (existing || byText.size >= KEPT_MAX) return send(statement(text, encoded));
    // Names are never used twice: the engine may have a name although its answer was lost.
    const kept: Kept = { name: `kept_${++lastName}`, isPrepared: false };
    byText.set(text, kept);
    try {
      const reply = await send(statement(text, encoded, kept.name));
      kept.isPrepared = reply.isParsed;
      return reply;
    } finally {
      if (!kept.isPrepared && byText.get(text) === kept) byText.delete(text);
    }
  };
}
