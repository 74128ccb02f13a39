import { say } from '../words/words.ts';
import { useSession } from './use-session.ts';

/** Says, where nothing was found, that policies may be the reason, if they are in force: the console asks for no principal. */
export function PoliciesNote() {
  const { authorization } = useSession();
  return authorization ? <span className="mt-1.5 block">{say('session.policies')}</span> : null;
}
