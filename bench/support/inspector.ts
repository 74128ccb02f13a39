/** The inspector of a service process that was started with `--inspect`: to collect its garbage and read the size of its heap. */

export interface Inspector {
  collectGarbage(): Promise<void>;
  /** Bytes of the main thread's heap and its array buffers. */
  heapUsed(): Promise<number>;
  close(): void;
}

/** @param errors what the process has written to stderr, where Node names the address. */
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
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  const call = (method: string): Promise<Record<string, number>> =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve);
      socket.send(JSON.stringify({ id: lastId, method }));
    });
  return {
    async collectGarbage() {
      for (let i = 0; i < 3; i++) await call('HeapProfiler.collectGarbage');
    },
    async heapUsed() {
      const { usedSize = 0, backingStorageSize = 0 } = await call('Runtime.getHeapUsage');
      return usedSize + backingStorageSize;
    },
    close: () => socket.close(),
  };
}
