/** The MCP server of one request. It offers the tools that exist for the key of the request. */
import { McpServer } from '@modelcontextprotocol/server';
import { withoutApiKeys } from '../../access/api-key.ts';

import { toServiceError } from '../../http/error-handler.ts';
import { standaloneJsonSchema } from '../../http/openapi/openapi.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import { MCP_INSTRUCTIONS } from '../../http/tools/mcp-instructions.ts';
import { type Json, type Tool, type ToolResult, toolsFor } from '../../http/tools/tool.ts';
import { validate } from '../../http/validate.ts';
import { modelText, modelTexts } from '../../llm/model-text.ts';

/** Clients may keep the list of tools for this time: it depends on the version of the service and on the scopes of the key. */
const LIST_TTL_MS = 300_000;
/** Returns a function that builds the server of a request. The schemas of the tools are converted once. */
export function openMcpServers(version: string, tools: readonly Tool[]): (exchange: Exchange) => McpServer {
  const schemas = new Map(
    tools.map(({ name, input, output }) => [
      name,
      {
        inputSchema: standardSchema(standaloneJsonSchema(input, 'input')),
        outputSchema: standardSchema(standaloneJsonSchema(output, 'output')),
      },
    ]),
  );
  return (exchange) => {
    const server = new McpServer(
      { name: 'pinakes', title: 'Pinakes', version },
      {
        capabilities: { tools: { listChanged: false } },
        instructions: MCP_INSTRUCTIONS,
        cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
      },
    );
    for (const one of toolsFor(tools, exchange.caller)) {
      const { name, title, description } = one;
      const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
      server.registerTool(name, { title, description, annotations, ...schemas.get(name)! }, async (args) =>
        toCallResult(() => one.run(validate(one.input, args, 'arguments'), exchange), exchange),
      );
    }
    return server;
  };
}

/** Runs a tool. A failure is a result too, with a message that a caller may see. */
async function toCallResult(run: () => Promise<ToolResult>, { raw, signal }: Exchange) {
  try {
    const { structured, text } = await run();
    return { content: [{ type: 'text' as const, text: modelText(text) }], structuredContent: modelTexts(structured) };
  } catch (error) {
    const failure = toServiceError(error);
    if (failure.status >= 500 && !signal.aborted)
      raw.log.error({ err: failure.cause ?? failure, code: failure.code }, 'a tool failed');
    return { content: [{ type: 'text' as const, text: withoutApiKeys(failure.message) }], isError: true };
  }
}

/** Returns a schema for the protocol library that accepts everything: arguments are validated with messages of our own. */
function standardSchema(json: Json) {
  const validateAll = (value: unknown) => ({ value: value as Json });
  const convert = (): Json => json;
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'pinakes',
      validate: validateAll,
      jsonSchema: { input: convert, output: convert },
    },
  };
}
