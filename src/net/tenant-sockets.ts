/**
 * Opens sockets to servers that tenants name, for protocols other than HTTP.
 *
 * The driver of the protocol connects the socket to the checked address, so a name that later resolves differently changes nothing.
 * The guard ends a socket whose server sends without end or not at all: drivers collect a whole message in memory.
 */
import { Socket } from 'node:net';
import { addressRules } from './address-rules.ts';
import { type Lookup, resolveHost, systemLookup } from './resolve-host.ts';

export interface SocketLimits {
  /** Bytes that may arrive between two calls of `progress`. */
  bytesMax: number;
  /** Time between two calls of `restart`. */
  timeMsMax: number;
}

export interface TenantSocket {
  /** Not connected yet. */
  socket: Socket;
  /** The checked address, an IP. */
  address: string;
  /** Tells the guard that the bytes until now were used. */
  progress(): void;
  /** Gives the socket the whole time again. */
  restart(): void;
}

export interface TenantSockets {
  /** Returns a socket for `host`. It is destroyed when the signal aborts. @throws AddressRefused, errors of the resolver. */
  open(host: string, limits: SocketLimits, signal: AbortSignal): Promise<TenantSocket>;
}

/** The server sent more at once, or took longer, than it may. */
export class SocketLimitExceeded extends Error {
  override readonly name = 'SocketLimitExceeded';
  readonly limit: 'bytes' | 'time';

  constructor(limit: 'bytes' | 'time') {
    super(limit === 'bytes' ? 'the server sent too much at once' : 'the server took too long');
    this.limit = limit;
  }
}

const WATCH_INTERVAL_MS = 50;

/** @param allow hosts and CIDRs of the operator: private addresses that tenants may use. */
export function openTenantSockets(allow: readonly string[], lookup: Lookup = systemLookup): TenantSockets {
  const rules = addressRules(allow);
  return {
    async open(host, limits, signal) {
      const [address] = await resolveHost(lookup, rules, host);
      signal.throwIfAborted();
      return guarded(new Socket(), address!, limits, signal);
    },
  };
}

function guarded(socket: Socket, address: string, limits: SocketLimits, signal: AbortSignal): TenantSocket {
  let usedBytes = 0;
  let startedAt = performance.now();
  const check = () => {
    if (socket.bytesRead - usedBytes > limits.bytesMax) socket.destroy(new SocketLimitExceeded('bytes'));
    else if (performance.now() - startedAt > limits.timeMsMax) socket.destroy(new SocketLimitExceeded('time'));
  };
  const timer = setInterval(check, WATCH_INTERVAL_MS).unref();
  const abort = () => socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  // The driver reports errors; without a listener of our own, an error after its end would end the process.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    signal.removeEventListener('abort', abort);
  });
  return {
    socket,
    address,
    progress() {
      usedBytes = socket.bytesRead;
    },
    restart() {
      startedAt = performance.now();
      usedBytes = socket.bytesRead;
    },
  };
}
