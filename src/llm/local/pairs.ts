/** Runs one model for pairs of texts in this thread: a cross-encoder whose output is one number per label. */
import type { Tensor } from 'onnxruntime-web';
import type { SentencePair } from '../models.ts';
import type { LocalModel } from './model.ts';
import { openOrt, openSession, openTokenizer } from './runtime.ts';

export interface PairTokens {
  ids: readonly number[];
  /** 0 for the tokens of the premise, 1 for those of the hypothesis. */
  types: readonly number[];
}

export interface PairRuntime {
  /** Returns one element: a pair is never divided. */
  tokenize(pair: SentencePair): PairTokens[];
  /** Returns the probabilities of the labels. Empty when the pair is too long or the numbers are not finite. */
  run(pair: PairTokens): Promise<Float32Array>;
}

const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
/** Maximum UTF-16 units of each text. Longer texts have more tokens than any model of this kind takes. */
const TEXT_UNITS_MAX = 20_000;

/** Loads a model. @throws Error that says why the model cannot be used. */
export async function openPairRuntime(model: LocalModel): Promise<PairRuntime> {
  const ort = await openOrt();
  const session = await openSession(ort, model);
  const { tokenizer } = await openTokenizer(model.directory);
  const unknown = session.inputNames.find((name) => !KNOWN_INPUTS.includes(name));
  if (unknown !== undefined) throw new Error(`its inputs are ${session.inputNames.join(', ')}; it needs other ones`);
  const output = session.outputNames.includes('logits') ? 'logits' : session.outputNames[0]!;
  const run = async ({ ids, types }: PairTokens): Promise<Float32Array> => {
    if (ids.length > model.tokensMax) return new Float32Array();
    const row = (values: readonly number[]): Tensor =>
      new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
    const feeds: Record<string, Tensor> = {
      input_ids: row(ids),
      attention_mask: row(ids.map(() => 1)),
      token_type_ids: row(types),
    };
    const results = await session.run(Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]!])));
    const { data, dims } = results[output]!;
    if (!(data instanceof Float32Array) || dims.length !== 2 || data.length !== model.labels.length)
      throw new Error(`its output is not one number for each of its ${model.labels.length} labels`);
    return probabilitiesOf(data);
  };
  return {
    tokenize({ premise, hypothesis }) {
      const cut = (text: string): string => text.slice(0, TEXT_UNITS_MAX).toWellFormed();
      const { ids, token_type_ids: types } = tokenizer.encode(cut(premise), {
        text_pair: cut(hypothesis),
        return_token_type_ids: true,
      });
      return [{ ids, types }];
    },
    run,
  };
}

/** Returns the softmax of the numbers; nothing when one of them is not finite. */
function probabilitiesOf(logits: Float32Array): Float32Array {
  if (!logits.every(Number.isFinite)) return new Float32Array();
  const highest = Math.max(...logits);
  const powers = logits.map((value) => Math.exp(value - highest));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}
