/**
 * Reads the directory of a local model in ONNX format, as sentence-transformers and its exporters write it. All descriptions are read
 * at the start of the service, so that the start can report what is wrong.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { type Family, familyOf, type Pooling } from './families.ts';
import { type ModelNotes, NOTES_FILE, notesSchema } from './notes.ts';

export interface LocalModel {
  /** An absolute path, like the paths of the files. */
  directory: string;
  modelFile: string;
  /** The file of weights that are not in the model file. */
  weightsFile: string | null;
  pooling: Pooling;
  /** True if nothing names the pooling: neither files of the model nor its name. */
  isPoolingAssumed: boolean;
  /** Why the service cannot pool the token vectors. Then only a model that pools them itself can be used. */
  unpoolable: string | null;
  tokensMax: number;
  padId: number;
  prefixes: Readonly<Record<'query' | 'passage', string>>;
  /** The notes that the pull wrote beside the model. */
  notes: ModelNotes | null;
  /** True for a model that judges pairs of texts. */
  isPairModel: boolean;
  /** The labels of the outputs of a model that classifies, in their order, in lower case. Empty for other models. */
  labels: readonly string[];
  /** Changes when the same passage may get another vector. */
  fingerprint: string;
}

/** Prefixes that replace those of the model's files. */
export interface PrefixSettings {
  queryPrefix: string | null;
  passagePrefix: string | null;
}

/** A package that may replace onnxruntime-web. Its installation downloads files, so the service does not ask for it. */
export const NATIVE_RUNTIME = 'onnxruntime-node';

/** Names of the model file, in the order in which they are tried. */
export const MODEL_FILES = [
  'onnx/model.onnx',
  'model.onnx',
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'model_quantized.onnx',
];
/** Weights in formats that the service cannot read. */
const OTHER_WEIGHTS = ['model.safetensors', 'pytorch_model.bin'];
export const TOKENIZER_FILE = 'tokenizer.json';
/** The start of the file that git leaves in place of a large file that was not fetched. */
const POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
/** Maximum tokens that a model reads at once: the memory of attention grows with the square of the length. */
const TOKENS_MAX = 2_048;
/** Maximum tokens of a text, over all its parts. Further tokens are cut off. */
export const TEXT_TOKENS_MAX = 2_048;
/** How a long text is embedded. Another way gives it another vector. */
const LONG_TEXTS = 'mean of parts';
const TOKENS_DEFAULT = 512;
/** Maximum of a plausible length. Model files write "no limit" as a number such as 1e30. */
const WRITTEN_TOKENS_MAX = 1_000_000;
export const MODEL_BYTES_MAX = 2 * 1024 ** 3;
/** Bytes of each end of a file that the fingerprint reads, besides the size of the file. */
const FINGERPRINT_END_BYTES = 1024 ** 2;
const FINGERPRINT_DIGITS = 12;

/** A model directory cannot be used. The message continues a sentence that begins with the name of the setting. */
export class LocalModelError extends Error {}

/**
 * Returns the description of a model.
 *
 * @param path absolute: the directory, or an `.onnx` file in it (or in its folder `onnx`).
 * @throws LocalModelError
 */
export function readLocalModel(path: string, settings: PrefixSettings): LocalModel {
  const { directory, modelFile } = findFiles(path);
  const notes = readJson(directory, NOTES_FILE, notesSchema);
  const weightsFile = weightsBeside(modelFile).find((name) => existsSync(name)) ?? null;
  const files = [modelFile, ...(weightsFile === null ? [] : [weightsFile]), join(directory, TOKENIZER_FILE)];
  const pointer = files.find(isPointer);
  if (pointer !== undefined) {
    throw new LocalModelError(`names ${pointer}, which only points to the file (git lfs pull fetches it)`);
  }
  const bytes = sizeOf(modelFile) + (weightsFile === null ? 0 : sizeOf(weightsFile));
  if (bytes > MODEL_BYTES_MAX) {
    throw new LocalModelError(`names a model of ${bytes} bytes; at most ${MODEL_BYTES_MAX} can be loaded`);
  }
  const config = readJson(directory, 'config.json', configSchema);
  const family = familyOf(`${config?._name_or_path ?? ''} ${basename(directory)}`);
  const noted = notes?.pooling && { pooling: notes.pooling, isPoolingAssumed: false, unpoolable: null };
  const { pooling, isPoolingAssumed, unpoolable } = noted ?? readPooling(directory, family);
  const prompts = readPrompts(directory);
  const prefixes = {
    query: settings.queryPrefix ?? notes?.query_prefix ?? prompts.query ?? family?.query ?? '',
    passage: settings.passagePrefix ?? notes?.passage_prefix ?? prompts.passage ?? family?.passage ?? '',
  };
  const tokensMax = readTokensMax(directory, config?.max_position_embeddings);
  return {
    directory,
    modelFile,
    weightsFile,
    pooling,
    isPoolingAssumed,
    unpoolable,
    tokensMax,
    padId: config?.pad_token_id ?? 0,
    prefixes,
    notes: notes ?? null,
    isPairModel: false,
    labels: labelsOf(config?.id2label ?? {}),
    fingerprint: fingerprintOf(directory, files, [pooling, tokensMax, prefixes.passage, LONG_TEXTS]),
  };
}

function labelsOf(names: Readonly<Record<string, string>>): string[] {
  return Object.keys(names)
    .toSorted((one, other) => Number(one) - Number(other))
    .map((id) => names[id]!.toLowerCase());
}

/** Returns the possible paths of weights that are not in the model file. Both names are in use. */
export function weightsBeside(modelFile: string): string[] {
  return [`${modelFile}_data`, `${modelFile}.data`];
}

function findFiles(path: string): { directory: string; modelFile: string } {
  if (path.endsWith('.onnx')) {
    const parents = [dirname(path), dirname(dirname(path))];
    const directory = parents.find((parent) => existsSync(join(parent, TOKENIZER_FILE)));
    if (directory === undefined || !existsSync(path)) {
      throw new LocalModelError(`names ${path}, which is not there or has no ${TOKENIZER_FILE} beside it or above it`);
    }
    return { directory, modelFile: path };
  }
  const noted = readJson(path, NOTES_FILE, notesSchema)?.file;
  const names = noted === undefined ? MODEL_FILES : [noted, ...MODEL_FILES];
  const modelFile = names.map((name) => join(path, name)).find((file) => existsSync(file));
  const missing = modelFile === undefined ? MODEL_FILES[0] : TOKENIZER_FILE;
  if (modelFile === undefined || !existsSync(join(path, TOKENIZER_FILE))) {
    const other = OTHER_WEIGHTS.find((name) => existsSync(join(path, name)));
    const why =
      modelFile !== undefined || other === undefined
        ? ''
        : `: its ${other} is not ONNX (optimum-cli export onnx --model ${path} --task feature-extraction ${path}-onnx)`;
    throw new LocalModelError(`names the directory ${path}, which has no ${missing}${why}`);
  }
  return { directory: path, modelFile };
}

const configSchema = z.object({
  _name_or_path: z.string().optional(),
  max_position_embeddings: z.number().optional(),
  pad_token_id: z.number().int().nonnegative().nullish(),
  id2label: z.record(z.string(), z.string()).nullish(),
});
const modulesSchema = z.array(z.object({ type: z.string(), path: z.string() }));
const poolingSchema = z.record(z.string(), z.unknown());
const promptsSchema = z.object({ prompts: z.record(z.string(), z.string()).optional() });
const lengthSchema = z.object({ max_seq_length: z.number().nullish(), model_max_length: z.number().nullish() });

const POOLING_MODES: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  mean_tokens: 'mean',
  // The same as the mean, because all vectors are scaled to length 1.
  mean_sqrt_len_tokens: 'mean',
  cls: 'cls',
  cls_token: 'cls',
  max: 'max',
  max_tokens: 'max',
  lasttoken: 'last',
};

type OwnPooling = Pick<LocalModel, 'pooling' | 'isPoolingAssumed' | 'unpoolable'>;

function readPooling(directory: string, family: Family | undefined): OwnPooling {
  const modules = readJson(directory, 'modules.json', modulesSchema) ?? [];
  const others = modules.map(({ type }) => type.split('.').at(-1)!);
  const unknown = others.find((type) => !['Transformer', 'Pooling', 'Normalize'].includes(type));
  const folder = modules.find(({ type }) => type.endsWith('.Pooling'))?.path ?? '1_Pooling';
  const config = readJson(directory, join(folder, 'config.json'), poolingSchema);
  const none = { pooling: family?.pooling ?? ('mean' as const), isPoolingAssumed: family === undefined };
  if (unknown !== undefined) return { ...none, unpoolable: `it has a layer ${unknown}` };
  if (config === undefined) return { ...none, unpoolable: null };
  const single = config['pooling_mode'];
  const modes =
    typeof single === 'string'
      ? [single]
      : Object.keys(config).flatMap((key) =>
          key.startsWith('pooling_mode_') && config[key] === true ? [key.slice('pooling_mode_'.length)] : [],
        );
  const [mode = ''] = modes;
  const pooling = POOLING_MODES[mode];
  if (modes.length !== 1 || pooling === undefined) return { ...none, unpoolable: `it pools by ${modes.join(' and ')}` };
  return { pooling, isPoolingAssumed: false, unpoolable: null };
}

const PASSAGE_PROMPTS = ['passage', 'document', 'corpus'];

function readPrompts(directory: string): { query: string | undefined; passage: string | undefined } {
  const prompts = readJson(directory, 'config_sentence_transformers.json', promptsSchema)?.prompts ?? {};
  // An empty prompt means that the model has none.
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => prompts[name]).find((prompt) => prompt !== undefined && prompt !== '');
  return { query: first(['query']), passage: first(PASSAGE_PROMPTS) };
}

function readTokensMax(directory: string, positions: number | undefined): number {
  const lengths = [
    readJson(directory, 'sentence_bert_config.json', lengthSchema)?.max_seq_length,
    readJson(directory, 'tokenizer_config.json', lengthSchema)?.model_max_length,
  ].filter((length) => typeof length === 'number' && length > 0 && length < WRITTEN_TOKENS_MAX) as number[];
  const length = lengths[0] ?? Math.min(positions ?? TOKENS_DEFAULT, TOKENS_DEFAULT);
  return Math.floor(Math.min(length, ...lengths, positions ?? length, TOKENS_MAX));
}

/** Returns the content of a file; undefined when the file does not exist. */
function readJson<T>(directory: string, name: string, schema: z.ZodType<T>): T | undefined {
  const path = join(directory, name);
  if (!existsSync(path)) return undefined;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new LocalModelError(`names the directory ${directory}, whose ${name} cannot be read (${short(error)})`);
  }
}

function short(error: unknown): string {
  if (error instanceof z.ZodError) return error.issues[0]!.message;
  return error instanceof Error ? error.message : String(error);
}

function isPointer(path: string): boolean {
  return withFile(path, (file) => {
    const start = Buffer.alloc(POINTER.length);
    return readSync(file, start, 0, start.length, 0) === start.length && start.equals(POINTER);
  });
}

function sizeOf(path: string): number {
  return withFile(path, (file) => fstatSync(file).size);
}

function fingerprintOf(directory: string, files: readonly string[], settings: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const path of files) {
    withFile(path, (file) => {
      const { size } = fstatSync(file);
      const end = Buffer.alloc(Math.min(size, FINGERPRINT_END_BYTES));
      hash.update(`\0${relative(directory, path)}\0${size}\0`);
      for (const position of [0, size - end.length]) {
        readSync(file, end, 0, end.length, position);
        hash.update(end);
      }
    });
  }
  return hash.digest('hex').slice(0, FINGERPRINT_DIGITS);
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
