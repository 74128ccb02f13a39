/** Clients of `/mcp`: the official ones of both revisions, and a plain one for what they do not send. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestApp } from './app.ts';

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

// biome-ignore lint/suspicious/noExplicitAny: tests look into results whose shape they assert
type Loose = any;

/** What both official clients can do. */
export interface McpClient {
  listTools(): Promise<{ tools: Loose[] }>;
  callTool(call: { name: string; arguments?: object }): Promise<Loose>;
  getServerVersion(): Loose;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** Connects the official client that speaks the revision. */
export async function connectMcp(
  t: Pick<TestApp, 'url'>,
  revision: Revision,
  headers: Record<string, string>,
): Promise<McpClient> {
  const url = new URL(`${await t.url()}/mcp`);
  const name = { name: 'test', version: '1.0.0' };
  const requestInit = { headers };
  if (revision === '2025-11-25') {
    const client = new FirstClient(name);
    await client.connect(new FirstTransport(url, { requestInit }) as never);
    return client as unknown as McpClient;
  }
  const client = new ModernClient(name, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernTransport(url, { requestInit }));
  if (client.getNegotiatedProtocolVersion() !== revision) throw new Error('the client negotiated another revision');
  return client as unknown as McpClient;
}

/** The answer to a message, read from JSON or from the one event of a stream. */
export interface McpAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  body: Loose;
}

/** Posts a message of the older revision, or a text as it is. */
export async function postMcp(
  t: TestApp,
  message: unknown,
  headers: Record<string, string> = {},
  key: string | null = t.key,
): Promise<McpAnswer> {
  const accept = 'application/json, text/event-stream';
  const answer = await t.request({
    method: 'POST',
    path: '//mcp',
    key,
    body: message,
    headers: { accept, ...headers },
  });
  const event = /^data: (.+)$/m.exec(answer.text)?.[1];
  return { ...answer, body: event === undefined ? answer.body : JSON.parse(event) };
}

/** Returns the message that calls a tool. */
export function toolCall(name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

/** A proxy that adds the key, for test programs that cannot send one. Host and Origin stay as they are. */
export async function openKeyProxy(t: TestApp): Promise<{ url: string; close(): Promise<void> }> {
  const service = new URL(await t.url());
  const server = http.createServer((request, response) => {
    const { method, url: path, headers } = request;
    const options = {
      host: service.hostname,
      port: service.port,
      method,
      path,
      headers: { ...headers, 'x-api-key': t.key },
    };
    const forwarded = http.request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
