/** A TCP proxy that ends a connection after some bytes of the server. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  port: number;
  /** Number of connections until now. */
  connections: number;
  /** Ends the next connections after this many bytes of the server; null: never. */
  cutAfter: number | null;
  close(): Promise<void>;
}

export async function openCutProxy(target: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    proxy.connections += 1;
    const upstream = connect(target, '127.0.0.1');
    const { cutAfter } = proxy;
    let passed = 0;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (data) => void upstream.write(data));
    upstream.on('data', (data) => {
      passed += data.length;
      if (cutAfter !== null && passed > cutAfter) client.destroy();
      else client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: CutProxy = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    cutAfter: null,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
