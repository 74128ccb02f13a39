import { Popover } from '@base-ui/react/popover';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { JsonEditor } from '../../json/json-editor.tsx';
import { type Fault, readOrFault, refusedIn } from '../../json/json-fault.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../words/words.ts';
import { type Filter, filterText, isFilter } from './filter.ts';

export interface JsonFilterProps {
  filter: Filter;
  change(filter: Filter): void;
  open: boolean;
  setOpen(open: boolean): void;
  /** Whether the search with the filter runs. */
  pending: boolean;
  /** Why the service refuses the filter. */
  refusal: Error | null;
}

/** The filter as JSON, behind a button. */
export function JsonFilter(props: JsonFilterProps) {
  return (
    <Popover.Root open={props.open} onOpenChange={props.setOpen}>
      <Popover.Trigger className={buttonClass('ghost', 'small')}>
        <Icon name="braces" size={13} />
        JSON
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="z-40">
          <Popover.Popup
            aria-label={say('filter.json')}
            // The editor takes the focus as soon as it is loaded.
            initialFocus={false}
            className="pop w-[28rem] max-w-[90vw] rounded-lg bg-raised p-3 shadow-2 outline-none"
          >
            <FilterForm {...props} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Stays open after the filter is applied if the service refuses the filter, with a mark at the place. */
function FilterForm({ filter, change, setOpen, pending, refusal }: JsonFilterProps) {
  const present = filterText(filter) ?? '{}';
  const [text, setText] = useState(() => (present === '{}' ? '{\n  \n}' : JSON.stringify(filter, null, 2)));
  const [applied, setApplied] = useState<string | null>(null);
  const read = useMemo(() => readOrFault(text.trim() === '' ? '{}' : text), [text]);
  const json = 'value' in read ? JSON.stringify(read.value) : null;
  const fault = useMemo((): Fault | null => {
    if (!('value' in read)) return read;
    if (!isFilter(read.value)) return { message: say('filter.notObject'), place: read.places.get('') ?? null };
    return refusal && json === present ? refusedIn(read, refusal) : null;
  }, [read, refusal, json, present]);
  useEffect(() => {
    if (applied !== present || pending) return;
    setApplied(null);
    if (!refusal) setOpen(false);
  }, [applied, present, pending, refusal, setOpen]);

  function submit(event: FormEvent) {
    event.preventDefault();
    // The form of the search is around this one in React, though not in the document.
    event.stopPropagation();
    if (!('value' in read) || !isFilter(read.value)) return;
    setApplied(json);
    change(read.value);
  }
  return (
    <form onSubmit={submit}>
      <p className="mb-1 text-xs text-ink-2">{say('filter.json')}</p>
      <div className="flex h-56 flex-col gap-2">
        <JsonEditor autoFocus label={say('filter.json')} value={text} change={setText} fault={fault} />
      </div>
      <div className="mt-2 flex justify-end">
        <Button type="submit" look="primary" disabled={json === null}>
          {say('filter.apply')}
        </Button>
      </div>
    </form>
  );
}
