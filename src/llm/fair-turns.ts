/** Chat models behind a queue in which tenants take turns, and within a tenant its keys. */
import { openGate } from '../util/pool.ts';
import type { ChatModel } from './models.ts';

/** Returns the model with `of`. Calls of all tenants together: at most `callsMax` at once. */
export function inTurns(model: ChatModel, callsMax: number): ChatModel {
  const gate = openGate(callsMax);
  const { ask, step, searchWeb } = model;
  const of = (tenantId: string, keyFamilyId?: string): ChatModel => {
    const whose = { owner: tenantId, part: keyFamilyId };
    return {
      name: model.name,
      contextTokens: model.contextTokens,
      async *stream(request, signal) {
        const leave = await gate.enter(whose, signal);
        try {
          yield* model.stream(request, signal);
        } finally {
          leave();
        }
      },
      ...(ask && { ask: (request, signal) => gate(() => ask.call(model, request, signal), whose, signal) }),
      ...(step && { step: (request, signal) => gate(() => step.call(model, request, signal), whose, signal) }),
      ...(searchWeb && {
        searchWeb: (question, onUsage, signal) =>
          gate(() => searchWeb.call(model, question, onUsage, signal), whose, signal),
      }),
    };
  };
  return { ...model, of };
}
