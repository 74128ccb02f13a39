/** Options that name the user on whose behalf a command asks. */
import { type OptionSpec, type OptionValues, textOption } from '../shared/command.ts';

export const PRINCIPAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  principal: { value: '<id>', text: 'ask on behalf of this user (only while authorization is on)' },
  policy: { value: '<name>', text: 'policy that says what the user may see (default: default)' },
};

/** Returns the members of a request that name the user and the policy. */
export function principalIn(options: OptionValues) {
  return { principal_id: textOption(options, 'principal'), authz_policy: textOption(options, 'policy') };
}
