/** The compiled WebAssembly of the engine. Threads share it, so a new thread starts with the code that earlier threads compiled. */
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { lazy } from '../../util/lazy.ts';

/** A WebAssembly module. Threads can send it to each other. */
export type EngineCode = object;

/** The part of WebAssembly that this file uses. TypeScript declares WebAssembly for browsers only. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<EngineCode>;
  Module: { imports(code: EngineCode): { module: string; name: string; kind: string }[] };
  Instance: new (code: EngineCode, imports: object) => { exports: { raw_parser: () => void } };
  Memory: new (pages: { initial: number; maximum: number }) => object;
};

/** Memory as PGlite gives it to the engine, in pages of 64 kB. */
const MEMORY_PAGES = { initial: 2048, maximum: 32_768 };

/** Returns the engine's code, compiled at the first call. */
export const engineCode = lazy(async (): Promise<EngineCode> => {
  const file = new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  const code = await WebAssembly.compile(await readFile(file));
  keepBaselineParser(code);
  return code;
});

/**
 * Makes V8 keep the baseline code of PostgreSQL's SQL parser. V8 compiles a function at its first call, and optimizes the function when
 * calls repeat. The parser is one function of 105 kB: to optimize it takes 600 MB and more than a second of processor time. While the
 * flag `--wasm-tier-up-filter` is set, V8 compiles functions so that only the named function can be optimized later.
 */
function keepBaselineParser(code: EngineCode): void {
  const { exports } = new WebAssembly.Instance(code, emptyImports(code));
  setFlagsFromString('--wasm-tier-up-filter=0');
  try {
    exports.raw_parser();
  } catch {
    // This instance was never started, so the parser fails at its first allocation. V8 compiles the parser before that.
  } finally {
    setFlagsFromString('--wasm-tier-up-filter=-1');
  }
}

/** Returns imports that do nothing. */
function emptyImports(code: EngineCode): object {
  const imports: Record<string, Record<string, unknown>> = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(code)) {
    imports[module] ??= {};
    imports[module][name] = kind === 'memory' ? new WebAssembly.Memory(MEMORY_PAGES) : () => 0;
  }
  return imports;
}
