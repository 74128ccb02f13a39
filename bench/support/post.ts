import { Agent, request } from 'node:http';
import type { ServiceProcess } from '../../test/support/service-process.ts';

const agent = new Agent({ keepAlive: true });

/**
 * Posts JSON and returns the body of the answer. Uses `node:http` with keep-alive connections, because `fetch` adds a quarter of a
 * millisecond in the client.
 *
 * @throws Error with the body, unless the status is 200.
 */
export function post({ url, key }: ServiceProcess, path: string, body: string): Promise<Buffer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1${path}`, { method: 'POST', agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts);
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(text.toString()));
      });
    })
      .on('error', reject)
      .end(body);
  });
}
