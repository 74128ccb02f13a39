/** Follows the run of a source group to its end. */

import { outcomeJson, reportOutcomes, waitWithProgress } from '../ingest.ts';
import type { Client } from '../shared/client.ts';
import { flagOption, type Invocation } from '../shared/command.ts';
import type { Io } from '../shared/io.ts';
import type { GroupOutcome } from '../shared/upload.ts';

/** Shows progress, says what failed, and returns the exit code with what became of the group. */
export async function followGroup(
  client: Client,
  groupId: string,
  io: Io,
): Promise<{ exitCode: number; outcome: GroupOutcome }> {
  const outcomes = await waitWithProgress(client, [groupId], 0, io);
  return { exitCode: reportOutcomes(outcomes, io), outcome: outcomes[0]! };
}

/**
 * Ends a command that made a source group: prints its id, or `made` with `--json`, and with `--wait` follows the first run.
 *
 * @returns the exit code.
 */
export async function finishCreation(
  client: Client,
  made: { id: string },
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<number> {
  const isJson = flagOption(options, 'json');
  if (!isJson) io.out(`${made.id}\n`);
  const followed = flagOption(options, 'wait') ? await followGroup(client, made.id, io) : undefined;
  if (isJson)
    io.out(`${JSON.stringify(followed === undefined ? made : { ...made, ...outcomeJson(followed.outcome) })}\n`);
  return followed?.exitCode ?? 0;
}
