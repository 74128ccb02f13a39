/** For whom a command asks. */
import { type OptionSpec, type OptionValues, textOption } from '../shared/command.ts';

export const PRINCIPAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  principal: { type: 'string', value: '<id>', text: 'on behalf of this user; counts while authorization is on' },
  policy: { type: 'string', value: '<name>', text: 'the policy that says what the user may see (default: default)' },
};

/** As requests name it. */
export function principalIn(options: OptionValues): { principal_id?: string; authz_policy?: string } {
  const principal = textOption(options, 'principal');
  const policy = textOption(options, 'policy');
  return {
    ...(principal !== undefined && { principal_id: principal }),
    ...(policy !== undefined && { authz_policy: policy }),
  };
}
