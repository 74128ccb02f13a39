/** `pinakes models pull`: shows what it will fetch, fetches it, tries the model, and prints the setting. */
import { environment, loadHubConfig } from '../../config.ts';
import { installCommand, openLocalModels } from '../../llm/embedding/local.ts';
import { openHub } from '../../llm/hub/api.ts';
import { isModelName, isRevision, type PullPlan, planPull, pull } from '../../llm/hub/pull.ts';
import { openHttpClient } from '../../net/http-client.ts';
import { flagOption, type Invocation, textOption } from '../shared/command.ts';
import { CliError, confirm, type Io, usageError } from '../shared/io.ts';
import { formatBytes, startProgress } from '../shared/progress.ts';

/** @returns the exit code. */
export async function pullModel(name: string, { options, io }: Invocation): Promise<number> {
  if (!isModelName(name)) throw usageError(`"${name}" is no name of a model, as owner/model is.`);
  const revision = textOption(options, 'revision') ?? 'main';
  if (!isRevision(revision)) throw usageError(`"${revision}" is no name of a revision.`);
  const { hub: settings, modelsDir, outboundAllow } = loadHubConfig(environment());
  const http = openHttpClient({ allow: outboundAllow });
  try {
    const hub = openHub(settings, http);
    const wish = { revision, file: textOption(options, 'file') ?? null, quantized: flagOption(options, 'quantized') };
    const plan = await planPull(hub, modelsDir, name, wish);
    tellPlan(plan, io);
    const agreed = flagOption(options, 'yes') || io.ask === undefined || plan.bytesToFetch === 0;
    await confirm(io, `Fetch ${formatBytes(plan.bytesToFetch)}?`, agreed);
    const progress = startProgress(io, 'Fetching');
    const start = plan.bytes - plan.bytesToFetch;
    const notes = await pull(hub, plan, (bytes) =>
      progress.update(bytes, plan.bytes, `${formatBytes(bytes)} of ${formatBytes(plan.bytes)}`),
    ).catch((error: unknown) => {
      progress.end('failed');
      throw error;
    });
    progress.end(start === plan.bytes ? 'everything was there' : formatBytes(plan.bytes));
    const dimensions = await tryModel(name, modelsDir, io);
    const setting = `local:${name}`;
    if (flagOption(options, 'json')) {
      const { directory, bytes } = plan;
      io.out(`${JSON.stringify({ ...notes, directory, bytes, dimensions, setting })}\n`);
      return 0;
    }
    io.err('With this setting the service searches by meaning too, from its next start on:\n');
    io.out(`PINAKES_EMBEDDING_MODEL=${setting}\n`);
    return 0;
  } finally {
    await http.close();
  }
}

function tellPlan({ model, directory, modelFile, files, bytes }: PullPlan, io: Io): void {
  io.err(`${model.name} at ${model.commit.slice(0, 12)}, licence: ${model.license ?? 'none is told'}\n`);
  io.err(`${modelFile} and ${files.length - 1} other files, ${formatBytes(bytes)}, to ${directory}\n`);
}

/** Embeds one word and returns the dimension, so that a broken model fails now. Null if the optional packages are missing. */
async function tryModel(name: string, modelsDir: string, io: Io): Promise<number | null> {
  const command = installCommand();
  if (command !== null) {
    io.err(`To run it, the service needs packages that are not installed: ${command}\n`);
    return null;
  }
  const models = openLocalModels({ modelsDir, queryPrefix: null, passagePrefix: null });
  try {
    const [vector] = await models.open(name).embed(['word'], 'passage', new AbortController().signal);
    io.err(`The model works: ${vector!.length} dimensions.\n`);
    return vector!.length;
  } catch (error) {
    const { cause } = error as Error;
    throw new CliError(`${name} was fetched, but cannot be used: ${cause instanceof Error ? cause.message : error}`);
  } finally {
    await models.close();
  }
}
