/**
 * One embedding model in this thread: tokenizer and ONNX Runtime, native where it is installed, else in WebAssembly. The packages
 * are optional, and loaded here only.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { EMBEDDING_DIMENSIONS_MAX } from '../../config.ts';
import type { EmbeddingUse } from '../models.ts';
import { type LocalModel, NATIVE_RUNTIME } from './model.ts';
import { pool, type TokenVectors, unit } from './pooling.ts';

/** No tokenizer makes fewer than one token of so many characters, but of runs of blanks. */
const UNITS_PER_TOKEN_MAX = 24;

export interface LocalRuntime {
  /** Numbers of tokens, cut to the length that the model takes. */
  tokenize(text: string, use: EmbeddingUse): number[];
  /** One vector of length 1 per text; zeros where the model computes no finite numbers. Blocks the thread. */
  run(texts: readonly (readonly number[])[]): Promise<Float32Array[]>;
}

/** @throws Error that says what of the model cannot be used. */
export async function openLocalRuntime(model: LocalModel): Promise<LocalRuntime> {
  const ort = await openOrt();
  const session = await openSession(ort, model);
  const output = findOutput(session, model);
  const inputs = new Set(session.inputNames);
  const unknown = session.inputNames.find((name) => !KNOWN_INPUTS.includes(name));
  if (unknown !== undefined || !inputs.has('input_ids')) {
    throw new Error(`its inputs are ${session.inputNames.join(', ')}; ${KNOWN_INPUTS.join(', ')} are known`);
  }
  // Static models (potion and others of Model2Vec) take all texts as one row of tokens, and where each begins.
  const isBag = inputs.has('offsets');
  const tokenize = await openTokenizer(model, !isBag);
  const compute = async (texts: readonly (readonly number[])[]): Promise<Float32Array[]> => {
    const lengths = texts.map((ids) => ids.length);
    const tokens = Math.max(...lengths);
    const shape = [texts.length, tokens];
    const fill = (value: (text: number, token: number) => number): Tensor => {
      const data = new BigInt64Array(texts.length * tokens);
      for (let i = 0; i < data.length; i += 1) data[i] = BigInt(value(Math.floor(i / tokens), i % tokens));
      return new ort.Tensor('int64', data, shape);
    };
    const row = (values: readonly number[]): Tensor =>
      new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [values.length]);
    const feeds: Record<string, Tensor> = {
      offsets: row(lengths.map((_, text) => lengths.slice(0, text).reduce((sum, length) => sum + length, 0))),
      input_ids: isBag ? row(texts.flat()) : fill((text, token) => texts[text]![token] ?? model.padId),
      attention_mask: fill((text, token) => (token < lengths[text]! ? 1 : 0)),
      token_type_ids: fill(() => 0),
    };
    const results = await session.run(Object.fromEntries(Object.entries(feeds).filter(([name]) => inputs.has(name))));
    return readVectors(results[output]!, lengths, model);
  };
  const [probe] = await compute([tokenize(PROBE_TEXT)]);
  if (isBroken(probe!)) throw new Error('its numbers are not finite');
  return {
    tokenize: (text, use) => tokenize(model.prefixes[use] + text),
    run: async (texts) =>
      (await compute(texts)).map((vector) => (isBroken(vector) ? new Float32Array(vector.length) : vector)),
  };
}

type Ort = typeof import('onnxruntime-web') & { isNative: boolean };

/** The native one has the same interface, and takes a quarter of the time and half of the memory. */
async function openOrt(): Promise<Ort> {
  try {
    return { ...(await import(NATIVE_RUNTIME)), isNative: true };
  } catch (why) {
    // The start has looked for both: without this one, the other is there and cannot be loaded.
    return { ...(await import('onnxruntime-web').catch(() => Promise.reject(why))), isNative: false };
  }
}

async function openSession(ort: Ort, { modelFile, weightsFile }: LocalModel): Promise<InferenceSession> {
  ort.env.logLevel = 'error';
  // It finds the weights beside the model by itself. As the other: two models in two processes use two cores as well.
  if (ort.isNative) return ort.InferenceSession.create(modelFile, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  // More threads would be workers of this worker.
  ort.env.wasm.numThreads = 1;
  return ort.InferenceSession.create(readFileSync(modelFile), {
    executionProviders: ['wasm'],
    ...(weightsFile === null ? {} : { externalData: [{ path: nameIn(weightsFile), data: readFileSync(weightsFile) }] }),
  });
}

/** Tells a model that cannot be used from a text that it cannot take. */
const PROBE_TEXT = 'text';

/** Of what `unit` makes. */
function isBroken([first]: Float32Array): boolean {
  return Number.isNaN(first);
}

const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids', 'offsets'];
/** Vectors of whole texts, then of tokens. */
const OUTPUTS = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];

function findOutput({ outputNames }: InferenceSession, { unpoolable }: LocalModel): string {
  const output = OUTPUTS.find((name) => outputNames.includes(name)) ?? outputNames[0]!;
  if (output !== OUTPUTS[0] && unpoolable !== null) throw new Error(unpoolable);
  return output;
}

function readVectors({ data, dims }: Tensor, lengths: readonly number[], { pooling }: LocalModel): Float32Array[] {
  if (!(data instanceof Float32Array)) throw new Error('its vectors are not 32-bit numbers');
  const dimension = dims.at(-1)!;
  if (dimension > EMBEDDING_DIMENSIONS_MAX)
    throw new Error(`its vectors have ${dimension} dimensions, more than ${EMBEDDING_DIMENSIONS_MAX}`);
  if (dims.length === 2) return lengths.map((_, i) => unit(data.subarray(i * dimension, (i + 1) * dimension)));
  const vectors: TokenVectors = { data, tokens: dims[1]!, dimension, lengths };
  if (dims.length !== 3) throw new Error(`its output has ${dims.length} axes`);
  return pool(vectors, pooling);
}

/** What the tokenizer puts before and after a text stays when the text is cut. Without it, unknown words are left out as well. */
async function openTokenizer(
  { directory, tokensMax, padId }: LocalModel,
  withSpecial: boolean,
): Promise<(text: string) => number[]> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const read = (name: string): object => JSON.parse(readFileSync(join(directory, name), 'utf8')) as object;
  const description = read('tokenizer.json');
  const tokenizer = new Tokenizer(description, readOr(read, 'tokenizer_config.json'));
  const encode = (text: string, add_special_tokens: boolean): number[] =>
    tokenizer.encode(text, { add_special_tokens }).ids as number[];
  const around = withSpecial ? encode('', true) : [];
  const unknown = withSpecial ? undefined : unknownTokenOf(description);
  const [whole, inner] = [encode('a', true), encode('a', false)];
  const before = Math.max(
    0,
    whole.findIndex((_, i) => inner.every((id, k) => whole[i + k] === id)),
  );
  const innerMax = Math.max(1, tokensMax - around.length);
  return (text) => {
    const cut = text.slice(0, tokensMax * UNITS_PER_TOKEN_MAX).toWellFormed();
    const said = encode(cut, false).filter((id) => id !== unknown);
    const all = [...around.slice(0, before), ...said.slice(0, innerMax), ...around.slice(before)];
    return all.length > 0 ? all : [padId];
  };
}

/** Number of the token that stands for words which the vocabulary lacks. */
function unknownTokenOf(description: object): number | undefined {
  const { model } = description as { model?: { unk_id?: unknown; unk_token?: unknown; vocab?: unknown } };
  if (typeof model?.unk_id === 'number') return model.unk_id;
  const id = (model?.vocab as Record<string, unknown> | undefined)?.[String(model?.unk_token)];
  return typeof id === 'number' ? id : undefined;
}

function readOr(read: (name: string) => object, name: string): object {
  try {
    return read(name);
  } catch {
    return {};
  }
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
