/**
 * PGlite behind a socket: a real PostgreSQL for a client of its protocol, one connection after the other. The login is the fake's own,
 * with a password in clear text.
 */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';

export interface PostgresWire {
  port: number;
  /** Runs statements beside the connections. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

const SSL_REQUEST = 80877103;

export async function openPostgresWire(password: string): Promise<PostgresWire> {
  const db = new PGlite();
  await db.waitReady;
  const sockets = new Set<Socket>();
  let turn: Promise<unknown> = Promise.resolve();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      turn = turn.then(() => db.exec('rollback')).catch(() => undefined);
    });
    let isIn = false;
    const handle = async (message: Buffer) => {
      if (isIn) {
        socket.write(await db.execProtocolRaw(message));
        return;
      }
      if (message[0] !== 0x70) {
        socket.write(message.readInt32BE(4) === SSL_REQUEST ? 'N' : reply('R', int32(3)));
        return;
      }
      isIn = message.subarray(5, -1).toString() === password;
      if (isIn) {
        socket.write(Buffer.concat([reply('R', int32(0)), reply('K', Buffer.alloc(8)), reply('Z', Buffer.from('I'))]));
      } else {
        const text = `SFATAL\0C28P01\0Mpassword "${message.subarray(5, -1)}" is wrong\0\0`;
        socket.end(reply('E', Buffer.from(text)));
      }
    };
    let waiting = Buffer.alloc(0);
    socket.on('data', (data) => {
      waiting = Buffer.concat([waiting, data]);
      for (;;) {
        // The first messages have no type and begin with the length, whose first byte is zero.
        const lead = waiting[0] === 0 ? 0 : 1;
        if (waiting.length < lead + 4) return;
        const length = lead + waiting.readInt32BE(lead);
        if (waiting.length < length) return;
        const message = waiting.subarray(0, length);
        waiting = waiting.subarray(length);
        if (message[0] === 0x58) socket.end();
        else turn = turn.then(() => handle(message)).catch(() => socket.destroy());
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    run: (sql) => {
      const done = turn.then(() => db.exec(sql));
      turn = done.catch(() => undefined);
      return done.then(() => undefined);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await turn;
      await db.close();
    },
  };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function reply(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}
