import { lazy, Suspense, useRef } from 'react';
import { Button } from '../parts/button.tsx';
import type { CodeHandle } from '../parts/code-view.tsx';
import { Problem } from '../parts/layout.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { say } from '../words/words.ts';
import type { Fault } from './json-fault.ts';
import { lineOf, type Place } from './json-places.ts';

const CodeView = lazy(() => import('../parts/code-view.tsx').then((module) => ({ default: module.CodeView })));

interface JsonEditorProps {
  label: string;
  value: string;
  change(value: string): void;
  fault: Fault | null;
  /** What is lit. */
  lit?: Place | null;
  autoFocus?: boolean;
}

/**
 * An editor with line numbers and colours, and below it what is wrong, with a way to its place. The editor is loaded when needed. What
 * is wrong is said when the reader stops typing.
 */
export function JsonEditor({ label, value, change, fault, lit = null, autoFocus = false }: JsonEditorProps) {
  const view = useRef<CodeHandle>(null);
  const settled = useSettled(fault);
  const shown = fault && settled;
  const place = shown?.place ?? null;
  const line = place && say('json.line', { n: lineOf(value, place.start) + 1 });
  return (
    <>
      <div
        dir="ltr"
        className="flex min-h-0 flex-1 overflow-hidden rounded-lg border border-line bg-raised font-mono text-xs focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent"
      >
        <Suspense fallback={<pre className="m-0 px-8 py-2 leading-5 text-ink-3">{value}</pre>}>
          <CodeView
            ref={view}
            label={label}
            value={value}
            change={change}
            problem={shown ? [line, shown.message].filter(Boolean).join(': ') : ''}
            wrong={place}
            lit={lit}
            autoFocus={autoFocus}
          />
        </Suspense>
      </div>
      {shown && (
        <Problem text={shown.message}>
          {place && (
            <Button size="small" onClick={() => view.current?.select(place)}>
              {line}
            </Button>
          )}
        </Problem>
      )}
    </>
  );
}
