import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { inWords } from '../../data/api.ts';
import {
  hasOffice,
  readChecks,
  readReadiness,
  readService,
  type ServiceChecks,
  type ServiceFacts,
} from '../../data/health.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Header, Problem, Spinner } from '../../parts/layout.tsx';
import { Facts } from '../../parts/side-panel.tsx';
import { useMayCheck } from '../../shell/use-session.ts';
import { bytes, moment, number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';

const READY_EVERY_MS = 10_000;
const CHECKS_EVERY_MS = 60_000;

/** Whether the service works: ready or not, the checks with what mends them, the models, the limits. */
export function Health() {
  const mayCheck = useMayCheck();
  const ready = useQuery({ queryKey: ['ready'], queryFn: readReadiness, refetchInterval: READY_EVERY_MS });
  const service = useQuery({ queryKey: ['service'], queryFn: readService });
  const checks = useQuery({
    queryKey: ['checks'],
    queryFn: readChecks,
    enabled: mayCheck,
    refetchInterval: CHECKS_EVERY_MS,
  });
  return (
    <>
      <Header title={say('health.title')}>
        {mayCheck && (
          <Button
            icon="rotate-ccw"
            busy={checks.isFetching}
            onClick={() => void Promise.all([ready.refetch(), checks.refetch()])}
          >
            {say('health.again')}
          </Button>
        )}
      </Header>
      <div className="scroll min-h-0 flex-1" tabIndex={0}>
        <div className="mx-auto flex max-w-[768px] flex-col gap-6 px-4 py-5 sm:px-6">
          <Verdict ready={ready.data} failed={ready.isError} checks={checks.data} waiting={checks.isLoading} />
          {!mayCheck ? (
            <p className="text-ink-3">{say('health.noChecks')}</p>
          ) : checks.isError ? (
            <Problem text={inWords(checks.error)} />
          ) : (
            checks.data && (
              <>
                <Checks result={checks.data} />
                {service.data?.models.embedding != null && <Vectors result={checks.data} />}
              </>
            )
          )}
          {service.isError ? (
            <Problem text={inWords(service.error)} />
          ) : (
            service.data && <Service facts={service.data} checks={checks.data} />
          )}
        </div>
      </div>
    </>
  );
}

interface VerdictProps {
  ready: boolean | undefined;
  failed: boolean;
  checks: ServiceChecks | undefined;
  /** Whether the first checks go on: until then nobody knows that everything works. */
  waiting: boolean;
}

function Verdict({ ready, failed, checks, waiting }: VerdictProps) {
  if (ready === undefined ? !failed : ready && waiting) return <Spinner label={say('health.checking')} />;
  const works = ready === true && checks?.ok !== false;
  const title = ready !== true ? 'health.notReady' : works ? 'health.ready' : 'health.partly';
  const tone = ready !== true ? 'text-bad' : works ? 'text-ok' : 'text-warn';
  return (
    <div role="status" className="flex items-center gap-3">
      <Icon name={works ? 'circle-check' : 'triangle-alert'} size={28} className={tone} />
      <div>
        <p className="text-lg font-medium">{say(title)}</p>
        {checks && (
          <p className="num text-xs text-ink-3">{say('health.checked', { time: moment(checks.checked_time) })}</p>
        )}
      </div>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 text-xs font-medium text-ink-2">{title}</h2>
      {children}
    </section>
  );
}

/** The lines of the doctor. What fails has a command to copy. */
function Checks({ result }: { result: ServiceChecks }) {
  const rank = ({ ok, fix }: ServiceChecks['checks'][number]) => (ok ? (fix === null ? 2 : 1) : 0);
  const rows = result.checks.toSorted((a, b) => rank(a) - rank(b));
  return (
    <Part title={say('health.checks')}>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {rows.map(({ name, ok, detail, fix }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <Icon
              name={!ok ? 'circle-alert' : fix === null ? 'check' : 'info'}
              size={14}
              className={ok ? 'text-ink-3' : 'text-bad'}
            />
            <span className={`w-40 shrink-0 ${ok ? '' : 'font-medium text-bad'}`}>{sayOfService(name)}</span>
            <span className="sr-only">
              {say(!ok ? 'health.fails' : fix === null ? 'health.works' : 'health.lacks')}
            </span>
            <span className="min-w-0 flex-1 basis-48 text-ink-2" dir="auto">
              {sayOfService(detail)}
            </span>
            {fix !== null && (
              <span className="flex max-w-full items-center gap-2 rounded-md bg-sunken p-1 ps-2">
                <code className="min-w-0 font-mono text-xs break-words" dir="ltr">
                  {fix}
                </code>
                <CopyButton text={fix} name={say('health.copyFix', { command: fix })} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Vectors({ result }: { result: ServiceChecks }) {
  const { chunks_waiting: waiting, chunks_refused: refused } = result;
  return (
    <Part title={say('health.vectors')}>
      <p className="text-ink-2">
        {waiting === 0 ? say('health.allVectors') : say('health.waiting', { n: waiting })}
        {refused > 0 && <span className="text-warn"> {say('health.refused', { n: refused })}</span>}
      </p>
    </Part>
  );
}

function Service({ facts, checks }: { facts: ServiceFacts; checks: ServiceChecks | undefined }) {
  const { models, limits } = facts;
  const office = hasOffice(facts, checks);
  const yesNo = (value: boolean) => say(value ? 'connectors.yes' : 'connectors.no');
  const limit = (value: number | null) => (value === null ? say('health.unlimited') : number(value));
  return (
    <>
      <Part title={say('health.models')}>
        <Facts
          rows={[
            [say('health.chat'), models.chat ?? say('health.noChat')],
            [say('health.embedding'), models.embedding ?? say('health.noEmbedding')],
            [say('health.rerank'), models.rerank ?? say('health.none')],
            [say('health.entailment'), models.entailment ?? say('health.rules')],
            [say('health.ocr'), facts.ocr_languages?.join(', ') ?? say('health.none')],
            [say('health.office'), office === undefined ? '–' : say(office ? 'health.officeYes' : 'health.officeNo')],
            [say('health.names'), yesNo(facts.names_analyzer)],
          ]}
        />
      </Part>
      <Part title={say('health.service')}>
        <Facts
          rows={[
            [say('health.version'), facts.version],
            [say('health.authorization'), yesNo(facts.authorization)],
            [say('health.uploadMax'), bytes(limits.upload_bytes_max)],
            [say('health.filesMax'), number(limits.files_per_upload_max)],
            [say('health.perMinute'), limit(limits.requests_per_minute)],
            [say('health.atOnce'), limit(limits.concurrent_requests)],
            [say('health.tokens'), limit(limits.tokens_per_day)],
          ]}
        />
      </Part>
    </>
  );
}
