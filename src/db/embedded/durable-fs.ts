/** The engine's file system with fsync, the one operation that the engine leaves out. */
import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** The part of the engine's file system that this module changes. */
export interface EngineFiles {
  filesystems: { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } };
  ErrnoError: new (errno: number) => Error;
}

/** The error number in the engine's numbering. */
const EIO = 29;

/** Files in a host directory. An fsync of the engine is an fsync of the host's file. */
export class DurableFs extends NodeFS {
  /** How often the engine has called fsync. The check at the start reads it. */
  fsyncCount = 0;

  override async init(...[engine, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options);
    const install = (module: unknown): void => this.install((module as { FS: EngineFiles }).FS);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } };
  }

  /** Adds fsync to the engine's files. A failure reaches the engine as EIO, and the engine stops. */
  install(files: EngineFiles): void {
    files.filesystems.NODEFS.stream_ops.fsync = (stream) => {
      try {
        fsyncSync(stream.nfd);
      } catch {
        throw new files.ErrnoError(EIO);
      }
      this.fsyncCount += 1;
      return 0;
    };
  }
}
