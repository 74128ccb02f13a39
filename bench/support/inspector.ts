/** Connects to the inspector of a service process (`--inspect`) to collect garbage and read the size of the heap. */

export interface Inspector {
  /** Collects the garbage of all threads. */
  collectGarbage(): Promise<void>;
  /** Returns the bytes of the main thread's heap and its array buffers. */
  heapUsed(): Promise<number>;
  close(): void;
}

/** @param errors the stderr output of the process, in which Node prints the address. */
export async function openInspector(errors: () => string): Promise<Inspector> {
  const url = /ws:\/\/\S+/.exec(errors())?.[0];
  if (url === undefined) throw new Error('the process has no inspector');
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let lastId = 0;
  const waiting = new Map<number, (result: Record<string, number>) => void>();
  const threads: string[] = [];
  const settle = ({ id, result }: { id: number; result: Record<string, number> }): void => {
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.method === 'NodeWorker.attachedToWorker') threads.push(message.params.sessionId);
    else if (message.method === 'NodeWorker.receivedMessageFromWorker') settle(JSON.parse(message.params.message));
    else settle(message);
  };
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const answerTo = (id: number): Promise<Record<string, number>> => new Promise((resolve) => waiting.set(id, resolve));
  const call = (method: string, params: object = {}): Promise<Record<string, number>> => {
    const answer = answerTo(++lastId);
    send({ id: lastId, method, params });
    return answer;
  };
  const callThread = (sessionId: string, method: string): Promise<Record<string, number>> => {
    const answer = answerTo(++lastId);
    const message = JSON.stringify({ id: lastId, method });
    send({ id: ++lastId, method: 'NodeWorker.sendMessageToWorker', params: { sessionId, message } });
    return answer;
  };
  await call('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async collectGarbage() {
      for (let i = 0; i < 3; i++) {
        await call('HeapProfiler.collectGarbage');
        for (const thread of threads) await callThread(thread, 'HeapProfiler.collectGarbage');
      }
    },
    async heapUsed() {
      const { usedSize = 0, backingStorageSize = 0 } = await call('Runtime.getHeapUsage');
      return usedSize + backingStorageSize;
    },
    close: () => socket.close(),
  };
}
