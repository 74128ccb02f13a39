/** Opens the entailment model of the settings: a local cross-encoder that says whether a sentence follows from a passage. */
import { basename } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigError } from '../util/settings/settings-reader.ts';
import { findModel, requirePackages } from './embedding/local.ts';
import { LocalModelError, readLocalModel } from './local/model.ts';
import { openModelThread } from './local/thread.ts';
import { modelText } from './model-text.ts';
import type { EntailmentModel, SentencePair, Verdict } from './models.ts';

const VARIABLE = 'PINAKES_ENTAILMENT_MODEL';
const EXAMPLE = 'local:cross-encoder/nli-deberta-v3-xsmall';

/**
 * Returns the model of `PINAKES_ENTAILMENT_MODEL`; null for `none`. Its files are checked now, and loaded with the first pair.
 *
 * @throws ConfigError when the model cannot be used.
 */
export function openEntailment({ model, modelsDir }: Config['entailment']): EntailmentModel | null {
  if (model === 'none') return null;
  requirePackages(VARIABLE);
  const setting = model.slice('local:'.length);
  try {
    const local = readLocalModel(findModel(setting, modelsDir), { queryPrefix: null, passagePrefix: null });
    const verdicts = local.labels.map(verdictOf);
    if (!verdicts.includes('entailment'))
      throw new LocalModelError(`names ${local.directory}, whose config.json has no label "entailment"`);
    const { embed, close } = openModelThread<SentencePair>({ ...local, isPairModel: true });
    return {
      name: `local:${basename(local.directory)}`,
      judge: async (pairs, signal) =>
        (await embed(pairs.map(modelPair), 'query', signal)).map((probabilities) => {
          const best = probabilities.indexOf(Math.max(...probabilities));
          return verdicts[best] ?? null;
        }),
      close,
    };
  } catch (error) {
    if (!(error instanceof LocalModelError)) throw error;
    throw new ConfigError(VARIABLE, error.message, EXAMPLE);
  }
}

function modelPair({ premise, hypothesis }: SentencePair): SentencePair {
  return { premise: modelText(premise), hypothesis: modelText(hypothesis) };
}

/** Models with two labels call everything else `not_entailment`. */
function verdictOf(label: string): Verdict {
  return label === 'entailment' || label === 'contradiction' ? label : 'neutral';
}
