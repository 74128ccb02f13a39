/** The engine's file system with the one operation it leaves out: fsync. */
import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

interface NodeStream {
  nfd: number;
}

/** Files in a host directory; an fsync of the engine is an fsync of the host's file. */
export class DurableFs extends NodeFS {
  /** How often the engine has fsynced; the start-up check reads it. */
  fsyncCount = 0;

  override async init(...[engine, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options);
    const install = (module: { FS: { filesystems: { NODEFS: unknown } } }): void => {
      const nodefs = module.FS.filesystems.NODEFS as { stream_ops: { fsync?: (stream: NodeStream) => number } };
      nodefs.stream_ops.fsync = (stream) => {
        fsyncSync(stream.nfd);
        this.fsyncCount += 1;
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } };
  }
}
