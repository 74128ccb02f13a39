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

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The API key must have one of these scopes, else the tool does not exist for it. */
  scopes: readonly Scope[];
  input: z.ZodType;
  output: z.ZodType;
  /** Returns the result for validated arguments. @throws ServiceError; the message of any other error stays in the log. */
  run(args: unknown, exchange: Exchange): Promise<ToolResult>;
}

/** Returns the tool; its type parameters give `run` the types of the schemas. */
export function tool<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: Input;
    output: Output;
    run(args: z.output<Input>, exchange: Exchange): Promise<z.input<Output>>;
    /** Returns the result as text for a model. */
    toText(result: z.output<Output>): string;
  },
): Tool {
  const { toText, run, ...rest } = definition;
  return {
    ...rest,
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
