import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { DEFAULT_POLICY, documentOf, FIRST_POLICY, POLICIES, type Policy, readPolicies } from '../../data/policies.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { Listing } from '../../parts/listing.tsx';
import { useDraft, useKept } from '../../shell/drafts.ts';
import { useSession } from '../../shell/use-session.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { DeletePolicy, NewPolicy } from './policy-forms.tsx';
import { PolicyWorkshop } from './policy-workshop.tsx';

const route = getRouteApi('/policies');

/** What was typed, and the stored version over which it was typed. Version 0: there was none. */
interface PolicyDraft {
  text: string;
  over: { version: number; text: string };
}

const versionOf = (policy: Policy | undefined): PolicyDraft['over'] =>
  policy ? { version: policy.version, text: documentOf(policy) } : { version: 0, text: '' };

/** The policies: one is edited beside a preview of what it would show. What was typed stays when another one is chosen. */
export function Policies() {
  const { name: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const { authorization } = useSession();
  const list = useQuery({ queryKey: [POLICIES], queryFn: ({ signal }) => readPolicies(signal) });
  const [kept, keep] = useDraft<Readonly<Record<string, PolicyDraft>>>('policies', true);
  const drafts = kept ?? {};
  const [asked, setAsked] = useKept<'create' | 'delete' | null>('policies.window', null);
  const stored = list.data ?? [];
  const fresh = Object.keys(drafts).filter((name) => !stored.some((policy) => policy.name === name));
  const names = [...stored.map((policy) => policy.name), ...fresh];
  const name = wanted !== undefined && names.includes(wanted) ? wanted : names[0];
  const policy = stored.find((one) => one.name === name);
  const open = (next: string) => void navigate({ search: { name: next }, replace: true });
  function setDraft(of: string, text: string | undefined, over?: PolicyDraft['over']) {
    keep((old) => {
      const { [of]: before, ...others } = old ?? {};
      const base = over ?? before?.over ?? versionOf(stored.find((one) => one.name === of));
      const next = text === undefined ? others : { ...others, [of]: { text, over: base } };
      return Object.keys(next).length === 0 ? undefined : next;
    });
  }
  function create(next: string) {
    setDraft(next, JSON.stringify(FIRST_POLICY, null, 2));
    setAsked(null);
    open(next);
  }
  const create_ = (
    <Button icon="plus" onClick={() => setAsked('create')}>
      {say('policies.create')}
    </Button>
  );

  return (
    <>
      <Header title={say('policies.title')} count={list.isSuccess && number(stored.length)}>
        {create_}
      </Header>
      {!authorization && (
        <p className="flex items-start gap-2 border-b border-line bg-sunken px-4 py-2 text-ink-2">
          <Icon name="info" size={15} className="mt-0.5 text-ink-3" />
          {say('policies.off')}
        </p>
      )}
      <Listing
        list={list}
        empty={name === undefined}
        nothing={
          <Empty
            icon="shield-check"
            title={say('policies.none')}
            text={say(authorization ? 'policies.noneInForce' : 'policies.noneText')}
          >
            {create_}
          </Empty>
        }
      >
        <div
          role="group"
          aria-label={say('policies.choose')}
          className="scroll flex max-h-24 min-h-11 shrink-0 flex-wrap items-center gap-1 border-b border-line px-3 py-2"
        >
          {names.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === name}
              onClick={() => open(one)}
              className={`flex h-7 items-center gap-1.5 rounded-md px-2 ${one === name ? 'bg-press font-medium text-ink' : 'text-ink-2 hover:bg-hover'}`}
            >
              {one}
              {drafts[one] !== undefined && <span className="text-xs text-ink-3">{say('policies.changed')}</span>}
            </button>
          ))}
        </div>
        {name !== undefined && (
          <PolicyWorkshop
            key={name}
            name={name}
            policy={policy}
            text={drafts[name]?.text ?? (policy ? documentOf(policy) : '')}
            over={drafts[name]?.over ?? versionOf(policy)}
            changed={drafts[name] !== undefined}
            change={(text) => setDraft(name, policy && text === documentOf(policy) ? undefined : text)}
            discard={() => setDraft(name, undefined)}
            rebase={() => setDraft(name, drafts[name]?.text, versionOf(policy))}
            remove={() => setAsked('delete')}
          />
        )}
      </Listing>
      {asked === 'create' && (
        <NewPolicy
          first={names.length === 0 ? DEFAULT_POLICY : ''}
          taken={names}
          close={() => setAsked(null)}
          done={create}
        />
      )}
      {asked === 'delete' && policy && <DeletePolicy policy={policy} close={() => setAsked(null)} />}
    </>
  );
}
