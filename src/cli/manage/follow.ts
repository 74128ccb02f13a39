/** Waits for the run of a source group. */

import { outcomeJson, reportOutcomes, waitWithProgress } from '../ingest.ts';
import type { Client } from '../shared/client.ts';
import { flagOption, type Invocation } from '../shared/command.ts';
import type { Io } from '../shared/io.ts';
import type { GroupOutcome } from '../shared/upload.ts';

/** Shows the progress of the run until its end, prints failures, and returns the exit code and the outcome. */
export async function followGroup(
  client: Client,
  groupId: string,
  io: Io,
): Promise<{ exitCode: number; outcome: GroupOutcome }> {
  const outcomes = await waitWithProgress(client, [groupId], 0, io);
  return { exitCode: reportOutcomes(outcomes, io), outcome: outcomes[0]! };
}

/**
 * Ends a command that created a source group: prints its id, or the source with `--json`. With `--wait`, waits for the first run.
 *
 * @returns the exit code.
 */
export async function finishCreation(
  client: Client,
  source: { id: string },
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<number> {
  const isJson = flagOption(options, 'json');
  if (!isJson) io.out(`${source.id}\n`);
  const followed = flagOption(options, 'wait') ? await followGroup(client, source.id, io) : undefined;
  if (isJson)
    io.out(`${JSON.stringify(followed === undefined ? source : { ...source, ...outcomeJson(followed.outcome) })}\n`);
  return followed?.exitCode ?? 0;
}
