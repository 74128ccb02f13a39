/** `pinakes mcp`: offers the tools of a service to a desktop client that speaks MCP over standard input and output. */
import { once } from 'node:events';
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/server';
import { MCP_INSTRUCTIONS } from '../http/tools/mcp-instructions.ts';
import { packageVersion } from '../util/package-files.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './operate/principal.ts';
import type { Client } from './shared/client.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import type { Command } from './shared/command.ts';

const PROTOCOL = '2026-07-28';
const META = 'io.modelcontextprotocol/';

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Offer search and reading as MCP tools on standard input and output, for desktop clients.',
  options: PRINCIPAL_OPTIONS,
  details: `
  PINAKES_API_KEY=pk_… pinakes mcp
  {"mcpServers": {"pinakes": {"command": "pinakes", "args": ["mcp"],
    "env": {"PINAKES_URL": "http://127.0.0.1:7700", "PINAKES_API_KEY": "pk_…"}}}}

The second example is what a desktop client reads: it starts the command by itself. Clients that
speak HTTP need no command: their address is <service>/mcp. docs/mcp.md has the settings of
common clients.`,
  async run({ options }) {
    const { principal_id: principal, authz_policy: policy } = principalIn(options);
    const headers = {
      // Header values are bytes: fetch takes one character for each.
      ...(principal !== undefined && { 'x-principal-id': Buffer.from(principal).toString('latin1') }),
      ...(policy !== undefined && { 'x-authz-policy': policy }),
    };
    const client = await openConfiguredClient();
    // Imported here, so that other commands do not load the library.
    const { McpServer, ProtocolError } = await import('@modelcontextprotocol/server');
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const answerTo = async (method: string, params: object | undefined, signal: AbortSignal): Promise<unknown> => {
      const { result, error } = await forward(client, method, params, headers, signal);
      if (error) throw new ProtocolError(error.code, error.message);
      return result;
    };
    const connection = serveStdio(() => {
      const capabilities = { tools: { listChanged: false } };
      const { server } = new McpServer(
        { name: 'pinakes', title: 'Pinakes', version: packageVersion() },
        { capabilities, instructions: MCP_INSTRUCTIONS },
      );
      server.setRequestHandler('tools/list', async ({ params }, { mcpReq }) => {
        return (await answerTo('tools/list', params, mcpReq.signal)) as ListToolsResult;
      });
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        return (await answerTo('tools/call', params, mcpReq.signal)) as CallToolResult;
      });
      return server;
    });
    // Input from a file only ends, and a socket may close without an end.
    await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
    await connection.close();
    return 0;
  },
};

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

/** Sends a request to the service and returns its answer. */
async function forward(
  client: Client,
  method: string,
  params: object | undefined,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const name = (params as { name?: string } | undefined)?.name;
  const meta = {
    [`${META}protocolVersion`]: PROTOCOL,
    [`${META}clientInfo`]: { name: 'pinakes-cli', version: packageVersion() },
    [`${META}clientCapabilities`]: {},
  };
  const response = await client.postMcp(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    {
      ...headers,
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    signal,
  );
  return (await response.json()) as Answer;
}
