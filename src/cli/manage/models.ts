/** `pinakes models`: lists configured and downloaded models; `pull` downloads one from a hub. */
import { environment, loadConfig } from '../../config.ts';
import type { PulledModel } from '../../llm/hub/pull.ts';
import type { Column } from '../shared/columns.ts';
import { type Command, type Invocation, printAnswer } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { printRows } from '../shared/pages.ts';
import { formatBytes } from '../shared/progress.ts';

export const modelsCommand: Command = {
  name: 'models',
  summary: 'List configured and downloaded models, and download embedding and entailment models from a hub.',
  synopsis: '[list | pull <name>]',
  argumentsMax: 2,
  options: {
    quantized: { text: 'pull: prefer weights of 8 bits: smaller and faster, slightly less exact' },
    file: { value: '<path>', text: 'pull: ONNX file of the model to download' },
    revision: { value: '<name>', text: 'pull: branch, tag or commit of the model (default: main)' },
    yes: { short: 'y', text: 'pull: do not ask for confirmation' },
    json: { text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes models
  pinakes models pull intfloat/multilingual-e5-small
  pinakes models pull minishlab/potion-retrieval-32M --yes
  export $(pinakes models pull sentence-transformers/all-MiniLM-L6-v2 --yes) && pinakes serve

pull first shows the size and the licence of the model. It stores the model in the folder
<data dir>/models/<name>, checks the hash of every file, and resumes an interrupted download.
The last line of its output is the setting that makes the service use the model. The hub is
PINAKES_HUB_URL (default: https://huggingface.co). Models whose terms must be accepted need
PINAKES_HUB_TOKEN. With an embedding model, search finds texts by meaning as well as by words.`,
  async run(invocation) {
    const [action = 'list', name, ...more] = invocation.arguments;
    if (action === 'list' && name === undefined) return list(invocation);
    if (action !== 'pull' || more.length > 0) {
      throw usageError(`There is no "pinakes models ${invocation.arguments.join(' ')}". See pinakes models --help.`);
    }
    if (name === undefined) throw usageError('pinakes models pull needs the name of a model: owner/model.');
    // Imported here, so that other commands do not load the HTTP client and the model code.
    return (await import('./pull-model.ts')).pullModel(name, invocation);
  },
};

async function list(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { chat, embedding, rerank, entailment } = loadConfig(environment());
  const configured = {
    chat: { model: chat.model, url: chat.baseUrl },
    embedding: { model: embedding.model, url: embedding.baseUrl },
    rerank: { model: rerank.model, url: rerank.baseUrl },
    entailment: { model: entailment.model, url: null },
  };
  const { listPulled } = await import('../../llm/hub/pull.ts');
  const pulled = await listPulled(embedding.modelsDir);
  const columns: Column<PulledModel>[] = [
    { title: 'MODEL', value: ({ name }) => `local:${name}`, cut: true },
    { title: 'SIZE', value: ({ bytes }) => formatBytes(bytes), right: true },
    { title: 'LICENCE', value: ({ notes }) => notes?.license ?? '' },
    ...(pulled.some(({ notes }) => notes?.problem)
      ? [{ title: 'CANNOT BE USED', value: ({ notes }: PulledModel) => notes?.problem ?? '', cut: true as const }]
      : []),
    { title: 'FILE', value: ({ notes }) => notes?.file ?? '', omit: 1 },
  ];
  const none = `There are no models in ${embedding.modelsDir}: pinakes models pull downloads one.`;
  return printAnswer(invocation, { configured, directory: embedding.modelsDir, models: pulled }, () => {
    for (const [use, { model, url }] of Object.entries(configured))
      io.out(`${use.padEnd('entailment'.length)}  ${model}${url === null ? '' : ` at ${url}`}\n`);
    io.out('\n');
    printRows(pulled, { columns, none }, io);
  });
}
