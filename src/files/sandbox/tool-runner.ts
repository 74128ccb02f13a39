/**
 * Runs programs of the system for formats without a parser: tesseract for pictures, LibreOffice for old Office files. The
 * programs have limits of time, memory, file size and output. They run in the sandbox, and they end with this process.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inTempFolder } from '../../util/folders.ts';
import { openGate, type Whose } from '../../util/pool.ts';
import { processorMsOfTree, startWork, WORK_CHECK_MS } from '../../util/work/work-time.ts';
import { badFile, type FileError, overLimit } from '../failure.ts';
import type { OfficeFormat, ToolAnswer, ToolCall, ToolName, Used } from '../tools.ts';
import { killGroup, type Sandbox } from './sandbox.ts';
import { toolView } from './views.ts';

export interface ToolSettings {
  /** Languages as tesseract names them, for example `eng+deu`. Null switches OCR off. */
  ocrLanguages: string | null;
  office: boolean;
  /** Folders with programs, as in PATH. */
  searchPath: string;
  /** Processor time of a call, instead of the limit of each program. */
  timeMs?: number;
}

export interface ToolRunner {
  /** Returns the tools that are switched on and installed. */
  available(): Promise<readonly ToolName[]>;
  /** Runs a program for the file at `path`. Owners and their parts take turns. Never rejects. */
  run(call: ToolCall, path: string, signal: AbortSignal, whose?: Whose): Promise<ToolAnswer & Used>;
  /** Says, for an operator, whether a tool is installed and what it can do. */
  describe(tool: ToolName): Promise<Description>;
}

interface Description {
  ok: boolean;
  detail: string;
  /** A command that adds what is missing. */
  fix?: string;
}

interface Limits {
  /** Processor time. */
  timeMs: number;
  memoryBytes: number;
  outputBytes: number;
}

/** The picture of a page takes a few seconds. */
const OCR_LIMITS: Limits = { timeMs: 60_000, memoryBytes: 1536 * 1024 * 1024, outputBytes: 16 * 1024 * 1024 };
/** The memory limit applies to address space, of which LibreOffice reserves far more than it uses. */
const OFFICE_LIMITS: Limits = { timeMs: 120_000, memoryBytes: 4096 * 1024 * 1024, outputBytes: 1024 * 1024 };
/** Maximum size of a converted file, and of any other file that a program writes. */
const CONVERTED_BYTES_MAX = 64 * 1024 * 1024;
const FACTS_LIMITS: Limits = { timeMs: 20_000, memoryBytes: 4096 * 1024 * 1024, outputBytes: 64 * 1024 };

/** Pictures that are turned are turned back. Without its data for that (osd), tesseract reads them as they are. */
const TURNED = ['--psm', '1'];
const NICENESS = 5;
/** For Debian and its relatives. Other systems name their packages otherwise. */
const INSTALL_OFFICE =
  'apt-get install --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui';
const INSTALL_OCR = 'apt-get install tesseract-ocr';
/** If tesseract is missing then, the check names the command that installs it. */
const START_WITH_OCR = 'PINAKES_OCR=tesseract pinakes serve';
const OFFICE_COMMANDS = ['soffice', 'libreoffice'];
const FILTERS: Record<OfficeFormat, string> = {
  docx: 'docx:MS Word 2007 XML',
  xlsx: 'xlsx:Calc MS Excel 2007 XML',
  pptx: 'pptx:Impress MS PowerPoint 2007 XML',
};
const OLD_EXTENSIONS: Record<OfficeFormat, string> = { docx: 'doc', xlsx: 'xls', pptx: 'ppt' };

/** Switches off macros, and links to other files and addresses. */
const OFFICE_SETTINGS = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
${[
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '2'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '2'],
]
  .map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  )
  .join('\n')}
</oor:items>
`;

/** Opens a tool runner. No program is started before the first call. Without a sandbox, programs have all rights of this process. */
export function openToolRunner(settings: ToolSettings, sandbox?: Sandbox): ToolRunner {
  return new SystemTools(settings, sandbox);
}

/** What ends the programs of a call, and how much processor time they have used. */
interface Use {
  signal: AbortSignal;
  usedMs: number;
}

/** What a program reads: bytes, nothing, or the file behind a descriptor. */
type Input = Uint8Array | number | null;

type Ended =
  | { kind: 'done'; code: number | null; output: Buffer }
  | { kind: 'time' | 'output' | 'stopped' | 'missing' };

class SystemTools implements ToolRunner {
  private readonly settings: ToolSettings;
  private readonly sandbox: Sandbox | undefined;
  private found: Promise<Record<ToolName, string | undefined>> | undefined;
  private confinement: Promise<string[]> | undefined;
  /** Conversions run one at a time, because LibreOffice takes a whole core and much memory. */
  private readonly officeTurns = openGate(1);

  constructor(settings: ToolSettings, sandbox: Sandbox | undefined) {
    this.settings = settings;
    this.sandbox = sandbox;
  }

  async available(): Promise<readonly ToolName[]> {
    const commands = await this.commands();
    return (['ocr', 'office'] as const).filter((name) => commands[name] !== undefined);
  }

  async run(call: ToolCall, path: string, signal: AbortSignal, whose?: Whose): Promise<ToolAnswer & Used> {
    const use: Use = { signal, usedMs: 0 };
    try {
      const bytes =
        call.tool === 'ocr'
          ? await this.read(call.image, path, use)
          : await this.officeTurns(() => this.convert(call.to, path, use), whose, signal);
      return { ok: true, bytes, usedMs: use.usedMs };
    } catch (error) {
      const failure =
        error instanceof Error && 'failure' in error
          ? (error as FileError).failure
          : { ...broken('A program of the system').failure, retryable: true };
      return { ok: false, failure, usedMs: use.usedMs };
    }
  }

  async describe(tool: ToolName): Promise<Description> {
    const { ocr, office } = await this.commands();
    if (tool === 'ocr') return this.ocrFacts(ocr);
    if (!this.settings.office)
      return { ok: true, detail: 'off: doc, xls and ppt files are read without lists and charts' };
    if (office === undefined)
      return {
        ok: true,
        detail: 'not found: doc, xls and ppt files are read without lists and charts',
        fix: INSTALL_OFFICE,
      };
    const sandbox = await this.sandbox?.facts({ system: true });
    return {
      ok: true,
      detail: `${office}, ${sandbox?.kind ? `in a sandbox of ${sandbox.kind}` : 'without a sandbox'}`,
    };
  }

  private async ocrFacts(command: string | undefined): Promise<Description> {
    const wanted = this.settings.ocrLanguages;
    if (wanted === null)
      return { ok: true, detail: 'off: pictures and scanned pages are not read', fix: START_WITH_OCR };
    if (command === undefined)
      return { ok: false, detail: 'PINAKES_OCR is tesseract, but the command was not found', fix: INSTALL_OCR };
    const ended = await this.execute(command, ['--list-langs'], null, FACTS_LIMITS);
    const languages = ended.kind === 'done' ? ended.output.toString().trim().split('\n').slice(1) : [];
    const missing = wanted.split('+').filter((language) => !languages.includes(language));
    const installed = languages.filter((name) => name !== 'osd').join(', ');
    const turned = languages.includes('osd') ? '' : '; without osd, so turned pictures are not read';
    const detail = `${command} with ${wanted}; installed: ${installed}${turned}`;
    return missing.length === 0
      ? { ok: true, detail }
      : { ok: false, detail: `PINAKES_OCR_LANGUAGES names ${missing.join(', ')}, not installed (${detail})` };
  }

  /** Returns the words of a picture with their places. */
  private async read(image: Uint8Array | null, path: string, use: Use): Promise<Buffer> {
    const { ocr } = await this.commands();
    if (ocr === undefined) throw broken('tesseract');
    const languages = this.settings.ocrLanguages ?? '';
    const limits = this.limited(OCR_LIMITS);
    const file = image === null ? await open(path) : undefined;
    try {
      const input = image ?? file!.fd;
      const ended = await this.execute(ocr, ['stdin', 'stdout', '-l', languages, ...TURNED, 'tsv'], input, limits, use);
      return outputOf(ended, 'tesseract', limits);
    } finally {
      await file?.close();
    }
  }

  private async convert(to: OfficeFormat, path: string, use: Use): Promise<Buffer> {
    const { office } = await this.commands();
    if (office === undefined) throw broken('LibreOffice');
    return inTempFolder(async (folder) => {
      await mkdir(join(folder, 'profile/user'), { recursive: true });
      await writeFile(join(folder, 'profile/user/registrymodifications.xcu'), OFFICE_SETTINGS);
      const input = join(folder, `file.${OLD_EXTENSIONS[to]}`);
      await copyFile(path, input);
      const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
      const switches = ['--headless', '--norestore', '--nolockcheck', '--nodefault', '--nofirststartwizard'];
      const args = [profile, ...switches, '--convert-to', FILTERS[to], '--outdir', join(folder, 'out'), input];
      const limits = this.limited(OFFICE_LIMITS);
      outputOf(await this.execute(office, args, null, limits, use, folder), 'LibreOffice', limits);
      const converted = join(folder, 'out', `file.${to}`);
      const { size } = await stat(converted).catch(() => ({ size: 0 }));
      if (size === 0) throw badFile('parse', 'File cannot be converted', 'LibreOffice could not read the file.');
      if (size > CONVERTED_BYTES_MAX) throw overLimit('The converted file is too large.');
      return readFile(converted);
    });
  }

  private limited(limits: Limits): Limits {
    return { ...limits, timeMs: this.settings.timeMs ?? limits.timeMs };
  }

  private commands(): Promise<Record<ToolName, string | undefined>> {
    this.found ??= (async () => ({
      ocr: this.settings.ocrLanguages === null ? undefined : await this.find('tesseract'),
      office: this.settings.office ? await this.find(...OFFICE_COMMANDS) : undefined,
    }))();
    return this.found;
  }

  private async find(...names: string[]): Promise<string | undefined> {
    const folders = this.settings.searchPath.split(delimiter).filter((folder) => folder !== '');
    for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
      const there = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (there) return path;
    }
    return undefined;
  }

  /** Returns the commands of this system that lower the priority and end the program with this process. */
  private confined(): Promise<string[]> {
    this.confinement ??= (async () => {
      const prefix: string[] = [];
      for (const step of [
        ['nice', '-n', `${NICENESS}`],
        ['setpriv', '--pdeathsig', 'KILL'],
      ]) {
        const ended = await this.start([...step, 'true'], null, FACTS_LIMITS);
        if (ended.kind === 'done' && ended.code === 0) prefix.push(...step);
      }
      return prefix;
    })();
    return this.confinement;
  }

  private async execute(
    command: string,
    args: readonly string[],
    input: Input,
    limits: Limits,
    use?: Use,
    folder?: string,
  ): Promise<Ended> {
    const limited = (await this.find('prlimit')) === undefined ? [] : prlimit(limits);
    const sandbox = (await this.sandbox?.prefix(toolView(command, folder))) ?? [];
    const words = [...(await this.confined()), ...sandbox, ...limited, command, ...args];
    return this.start(words, input, limits, use, folder);
  }

  private start(
    [command = '', ...args]: readonly string[],
    input: Input,
    limits: Limits,
    use: Use = { signal: new AbortController().signal, usedMs: 0 },
    folder = '/nonexistent',
  ): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const child = spawn(command, args, {
      // The environment of the service is not passed on: a program that is taken over finds no credentials.
      env: { PATH: this.settings.searchPath, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', OMP_THREAD_LIMIT: '1' },
      stdio: [typeof input === 'number' ? input : 'pipe', 'pipe', 'ignore'],
      // A process group of its own, so that all processes of the program can be killed.
      detached: true,
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let length = 0;
    let reason: 'time' | 'output' | 'stopped' | undefined;
    const end = (why: typeof reason) => {
      reason ??= why;
      killGroup(child.pid);
    };
    const work = startWork(() => processorMsOfTree(child.pid));
    const { signal } = use;
    const usedBefore = use.usedMs;
    const timer = setInterval(() => {
      use.usedMs = usedBefore + work.usedMs();
      if (work.exceeds(limits.timeMs)) end('time');
    }, WORK_CHECK_MS);
    const stop = () => end('stopped');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const settle = (ended: Ended) => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
      resolve(ended);
    };
    child.stdout!.on('data', (part: Buffer) => {
      length += part.length;
      if (length > limits.outputBytes) end('output');
      else parts.push(part);
    });
    // Writing fails when a program ends before it has read all input.
    child.stdin?.on('error', () => undefined);
    if (typeof input !== 'number') child.stdin?.end(input ?? undefined);
    child.on('error', () => settle({ kind: 'missing' }));
    child.on('close', (code) =>
      settle(reason ? { kind: reason } : { kind: 'done', code, output: Buffer.concat(parts) }),
    );
    return promise;
  }
}

/** Returns the command that limits memory, time and file size. Its time limit is later, and holds even after this process has ended. */
function prlimit({ timeMs, memoryBytes }: Limits): string[] {
  const seconds = Math.ceil(timeMs / 1000) + 1;
  return ['prlimit', `--as=${memoryBytes}`, `--cpu=${seconds}`, `--fsize=${CONVERTED_BYTES_MAX}`, '--core=0', '--'];
}

function outputOf(ended: Ended, program: string, { timeMs, outputBytes }: Limits): Buffer {
  if (ended.kind === 'done' && ended.code === 0) return ended.output;
  if (ended.kind === 'time') throw overLimit(`${program} took longer than ${timeMs / 1000} s.`);
  if (ended.kind === 'output') throw overLimit(`${program} wrote more than ${outputBytes / 1024 / 1024} MiB.`);
  throw broken(program);
}

function broken(program: string): FileError {
  return badFile('parse', 'File cannot be read', `${program} could not read the file, or not within its memory.`);
}
