/** The faults that a test scripts for a fake server. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type Fault =
  | { status: number; body?: string; headers?: Record<string, string> }
  /** Announces the whole body, sends this number of bytes and closes. */
  | { truncateAfter: number }
  /** Closes without an answer. */
  | 'drop'
  /** Never answers. */
  | 'stall';

export interface Faults {
  /** Sets the fault of the next `times` requests whose `METHOD /path?query` matches. */
  add(pattern: RegExp, fault: Fault, times?: number): void;
  clear(): void;
  /**
   * Returns true if the fault was the whole answer. Otherwise the server answers, and the fault may truncate the answer.
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

/** All fakes pass the whole body to `end`. */
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
