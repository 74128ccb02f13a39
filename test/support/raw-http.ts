/** HTTP by hand, for requests that no client would send. */
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: { error?: { message: string; type: string } } | undefined;
}

/** Sends the pieces unchanged and reads until the answer is complete or the server closes the connection. */
export function sendRaw(url: string, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      if (isComplete(received)) socket.destroy();
    });
    // A connection reset after the answer is not an error.
    socket.on('error', (error) => received.length === 0 && reject(error));
    socket.on('close', () =>
      received.length === 0 ? reject(new Error('closed without an answer')) : resolve(parse(received)),
    );
    for (const piece of pieces) socket.write(piece);
  });
}

function isComplete(received: Buffer): boolean {
  const text = afterContinue(received).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, end));
  return end > 0 && length !== null && text.length >= end + 4 + Number(length[1]);
}

function parse(received: Buffer): RawAnswer {
  const text = afterContinue(received).toString('utf8');
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1]), headers, text: body, body: body === '' ? undefined : JSON.parse(body) };
}

/** Returns the bytes after the interim answer. */
function afterContinue(received: Buffer): Buffer {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  return received.toString('latin1').startsWith(interim) ? received.subarray(interim.length) : received;
}
