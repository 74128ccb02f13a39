/** Chat models behind a queue in which tenants take turns. */
import { openGate } from '../util/pool.ts';
import type { ChatModel } from './models.ts';

/** Returns the model with `of`. Calls of all tenants together: at most `callsMax` at once. */
export function inTurns(model: ChatModel, callsMax: number): ChatModel {
  const gate = openGate(callsMax);
  const { ask, step, searchWeb } = model;
  const of = (tenantId: string): ChatModel => {
    const waited = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
      const leave = await gate.enter(tenantId, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    };
    return {
      name: model.name,
      contextTokens: model.contextTokens,
      async *stream(request, signal) {
        const leave = await gate.enter(tenantId, signal);
        try {
          yield* model.stream(request, signal);
        } finally {
          leave();
        }
      },
      ...(ask && { ask: (request, signal) => waited(() => ask.call(model, request, signal), signal) }),
      ...(step && { step: (request, signal) => waited(() => step.call(model, request, signal), signal) }),
      ...(searchWeb && {
        searchWeb: (question, onUsage, signal) =>
          waited(() => searchWeb.call(model, question, onUsage, signal), signal),
      }),
    };
  };
  return { ...model, of };
}
