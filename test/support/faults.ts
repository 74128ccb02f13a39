/** What a fake server does wrong, on request. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type Fault =
  | { status: number; body?: string; headers?: Record<string, string> }
  /** Announces the whole body, sends so many bytes of it and closes. */
  | { truncateAfter: number }
  /** Closes without an answer. */
  | 'drop'
  /** Never answers. */
  | 'stall';

export interface Faults {
  /** For the next `times` requests whose `METHOD /path?query` matches. */
  add(pattern: RegExp, fault: Fault, times?: number): void;
  clear(): void;
  /**
   * True when the fault was the whole answer; else the answer may go on, cut off where the fault says so.
   */
  apply(request: IncomingMessage, response: ServerResponse): boolean;
}

export function openFaults(): Faults {
  let planned: { pattern: RegExp; fault: Fault; left: number }[] = [];
  return {
    add: (pattern, fault, times = 1) => planned.push({ pattern, fault, left: times }),
    clear() {
      planned = [];
    },
    apply(request, response) {
      const line = `${request.method} ${request.url}`;
      const found = planned.find(({ pattern, left }) => left > 0 && pattern.test(line));
      if (!found) return false;
      found.left -= 1;
      const { fault } = found;
      if (fault === 'stall') return true;
      if (fault === 'drop') {
        request.socket.destroy();
        return true;
      }
      if ('truncateAfter' in fault) {
        cutOff(response, fault.truncateAfter);
        return false;
      }
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return true;
    },
  };
}

/** The body is given to `end` in one piece by all the fakes. */
function cutOff(response: ServerResponse, bytes: number): void {
  const end = response.end.bind(response);
  response.end = ((body: Buffer | string = '') => {
    const whole = Buffer.from(body);
    if (!response.headersSent) response.setHeader('content-length', whole.length);
    response.flushHeaders();
    response.write(whole.subarray(0, bytes), () => response.socket?.destroy());
    return response;
  }) as typeof end;
}
