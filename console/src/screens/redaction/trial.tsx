import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Draft, REDACTION, type Trial as Result, STEPS, type Step, tryDraft } from '../../data/redaction.ts';
import { Field, SelectField } from '../../parts/form.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { currentLanguage, say } from '../../words/words.ts';
import { cutAtMatches } from './marks.ts';

const TEXT_LENGTH_MAX = 200_000;
const SAMPLES = {
  en: 'Write to jane@example.com or call +44 20 7946 0958 about EMP-4711.\nCard 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00.',
  de: 'Schreiben Sie wegen EMP-4711 an jane@example.com, Telefon +49 30 23125 000.\nKarte 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00.',
};

/** Tries the draft on a text while either changes. `refuse` gets what the service says of a draft that it does not take. */
export function Trial({ draft, refuse }: { draft: Draft; refuse(error: Error | null): void }) {
  const [text, setText] = useState(SAMPLES[currentLanguage()]);
  const [step, setStep] = useState<Step | ''>('');
  const asked = JSON.stringify([text, draft.rules, step]);
  const settled = useSettled(asked);
  const trial = useQuery({
    queryKey: [REDACTION, 'trial', settled],
    queryFn: async ({ signal }) => ({ text, result: await tryDraft(text, draft, step === '' ? null : step, signal) }),
    enabled: settled === asked && text.trim() !== '' && draft.rules.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const refusal = settled === asked ? trial.error : null;
  useEffect(() => refuse(refusal), [refusal, refuse]);
  const shown = draft.rules.length > 0 && text.trim() !== '' && refusal === null ? trial.data : undefined;

  return (
    <aside
      aria-label={say('redaction.trial')}
      className="scroll flex flex-col gap-4 border-line bg-sunken p-4 max-xl:border-t xl:border-s"
    >
      <Field label={say('redaction.text')}>
        <textarea
          dir="auto"
          rows={6}
          maxLength={TEXT_LENGTH_MAX}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="field w-full p-2"
        />
      </Field>
      <SelectField
        label={say('redaction.atStep')}
        value={step}
        onChange={(event) => setStep(event.target.value as Step | '')}
        options={[
          ['', say('redaction.allSteps')] as const,
          ...STEPS.map((one) => [one, say(`redaction.step.${one}`)] as const),
        ]}
      />
      {shown && <Marked text={shown.text} result={shown.result} numberOf={numbersOf(draft)} />}
    </aside>
  );
}

function numbersOf({ rules }: Draft): ReadonlyMap<string, number> {
  return new Map(rules.map((rule, at) => [rule.name, at + 1]));
}

interface MarkedProps {
  text: string;
  result: Result;
  numberOf: ReadonlyMap<string, number>;
}

/** The text with a mark for each match, and what is left of it. */
function Marked({ text, result, numberOf }: MarkedProps) {
  return (
    <section aria-live="polite" className="flex flex-col gap-4">
      <div>
        <h2 className="mb-1 text-xs font-medium text-ink-2">
          {say('redaction.matches', { n: result.matches.length })}
        </h2>
        <p
          dir="auto"
          className="rounded-lg border border-line bg-surface p-3 leading-6 break-words whitespace-pre-wrap"
        >
          {cutAtMatches(text, result.matches).map(({ text: piece, rule }, at) =>
            rule === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no other identity than its place
              <span key={at}>{piece}</span>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no other identity than its place
              <mark key={at} title={rule}>
                {piece}
                <span className="sr-only"> {say('redaction.byRule', { name: rule })} </span>
                <span
                  aria-hidden="true"
                  className="num ms-1 rounded-sm border border-line-strong bg-surface px-1 text-2xs text-ink"
                >
                  {numberOf.get(rule)}
                </span>
              </mark>
            ),
          )}
        </p>
      </div>
      <div>
        <h2 className="mb-1 text-xs font-medium text-ink-2">{say('redaction.result')}</h2>
        {result.blocked ? (
          <p className="rounded-lg border border-bad/30 bg-bad-soft p-3">{say('redaction.blocked')}</p>
        ) : (
          <p dir="auto" className="rounded-lg border border-line bg-surface p-3 break-words whitespace-pre-wrap">
            {result.text}
          </p>
        )}
      </div>
    </section>
  );
}
