/** Named presets of completion parameters. Each is a model of `/v1`, because chat programs can choose a model but no filters. */
import { z } from 'zod';
import { notFound, ServiceError } from '../../../errors.ts';
import { describeIssues } from '../../../http/validate.ts';
import { isObject } from '../../../util/is-object.ts';
import { PRESETS_EXAMPLE } from '../../../util/settings/door-settings.ts';
import { ConfigError } from '../../../util/settings/settings-reader.ts';
import { parameters } from '../request.ts';

/** The model without parameters. */
export const DEFAULT_MODEL = 'pinakes';
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const PRESETS_MAX = 100;

const presetSchema = parameters
  .omit({
    messages: true,
    stream: true,
    trace: true,
    citation: true,
    principal_id: true,
    authz_policy: true,
    conversation_id: true,
    parent_message_id: true,
    regenerate: true,
    truncation: true,
    threadId: true,
    runId: true,
  })
  .extend({ footnotes: z.boolean().optional() });

export type Preset = z.output<typeof presetSchema>;

/** The presets by name, with the model without parameters. */
export type Presets = ReadonlyMap<string, Preset>;

/** Returns the checked presets. @throws ConfigError that names the preset and its first problem. */
export function readPresets(given: Readonly<Record<string, unknown>>): Presets {
  const refuse = (problem: string): never => {
    throw new ConfigError('PINAKES_PRESETS', problem, `'${PRESETS_EXAMPLE}'`);
  };
  const entries = Object.entries(given);
  if (entries.length > PRESETS_MAX) refuse(`has more than ${PRESETS_MAX} presets`);
  const presets = new Map([[DEFAULT_MODEL, presetSchema.parse({})]]);
  for (const [name, value] of entries) {
    if (!NAME.test(name) || name === DEFAULT_MODEL)
      refuse(`has a preset that may not be called ${JSON.stringify(name.slice(0, 80))}`);
    const parsed = presetSchema.safeParse(isObject(value) ? value : null);
    if (!parsed.success)
      refuse(`has a wrong preset ${JSON.stringify(name)}: ${describeIssues(parsed.error.issues, 'preset')}`);
    else presets.set(name, parsed.data);
  }
  return presets;
}

/** Returns the preset that a model names. @throws ServiceError not_found */
export function presetOf(presets: Presets, model: string): Preset {
  const preset = presets.get(model);
  if (preset !== undefined) return preset;
  throw new ServiceError(notFound().code, `The model ${JSON.stringify(model)} does not exist: see GET /v1/models.`);
}
