/** What a tool is. A tool reads with the key, the limits, the principal and the policy of its request: no argument changes them. */
import type { z } from 'zod';
import type { Caller, Scope } from '../../access/caller.ts';
import type { Exchange } from './exchange.ts';

export type Json = Record<string, unknown>;

/** The result of a tool: the same record twice, for programs and as text for a model. */
export interface ToolResult {
  structured: Json;
  text: string;
}

/** What an agent run stores of a result: ids, no text. */
export interface Kept {
  /** The chunks of the result, best first. An answer may cite them. */
  chunkIds: string[];
  /** How well each chunk matches, as a share of the best one; absent if all match alike. */
  shares?: number[];
  /** Number of things that were found. */
  found: number;
  /** What `restore` needs besides the arguments. */
  more: Json;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The API key must have one of these scopes, else the tool does not exist for it. */
  scopes: readonly Scope[];
  input: z.ZodType;
  output: z.ZodType;
  /**
   * How the tool keeps within the filters of an agent run: it searches with them, or its arguments may only name ids of earlier results.
   * A tool without this member is not offered to runs with filters.
   */
  within?: 'filters' | 'ids';
  /** Returns the result for validated arguments. @throws ServiceError; the message of any other error stays in the log. */
  run(args: unknown, exchange: Exchange): Promise<ToolResult>;
  /** Returns the result as text for a model. */
  toText(structured: Json): string;
  /** Returns what is stored of a result. Tools without this function are not offered to agents. */
  keep?(args: unknown, structured: Json, exchange: Exchange): Promise<Kept>;
  /** Returns a stored result as the caller may see it now. @throws ServiceError not_found */
  restore?(args: unknown, kept: Kept, exchange: Exchange): Promise<Json>;
}

/** Returns the tool; its type parameters give `run` the types of the schemas. */
export function tool<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<Tool, 'input' | 'output' | 'run' | 'toText' | 'keep' | 'restore'> & {
    input: Input;
    output: Output;
    run(args: z.output<Input>, exchange: Exchange): Promise<z.input<Output>>;
    /** Returns the result as text for a model. */
    toText(result: z.output<Output>): string;
    keep?(args: z.output<Input>, result: z.output<Output>, exchange: Exchange): Promise<Kept>;
    restore?(args: z.output<Input>, kept: Kept, exchange: Exchange): Promise<z.input<Output>>;
  },
): Tool {
  const { toText, run, keep, restore, ...rest } = definition;
  return {
    ...rest,
    toText: (structured) => toText(structured as z.output<Output>),
    ...(keep && {
      keep: (args, structured, exchange) => keep(args as z.output<Input>, structured as z.output<Output>, exchange),
    }),
    ...(restore && {
      restore: async (args, kept, exchange) =>
        definition.output.parse(await restore(args as z.output<Input>, kept, exchange)) as Json,
    }),
    async run(args, exchange) {
      const result = definition.output.parse(await run(args as z.output<Input>, exchange));
      return { structured: result as Json, text: toText(result) };
    },
  };
}

/** Returns the tools that exist for a key. */
export function toolsFor(tools: readonly Tool[], caller: Pick<Caller, 'scopes'>): Tool[] {
  return tools.filter(({ scopes }) => scopes.some((scope) => caller.scopes.includes(scope)));
}
