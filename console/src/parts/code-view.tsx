/**
 * CodeMirror for JSON. It stands in a shadow root: there its styles are constructable style sheets, which the content security policy
 * allows, and the colours still come from the properties of the page.
 */
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentService } from '@codemirror/language';
import { EditorState, RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutterLineClass,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import type { Place } from '../json/json-places.ts';

/** Id of the element of the shadow root that says what is wrong: a description cannot stand outside the root. */
const PROBLEM = 'problem';
/** Columns of an indent. */
const INDENT = 2;

export interface CodeHandle {
  /** Selects a place, and gives the editor the focus. */
  select(place: Place): void;
}

/** What is shown with the text. */
interface Shown {
  label: string;
  /** What is wrong, for screen readers; empty if nothing is. */
  problem: string;
  /** Where something is wrong. */
  wrong: Place | null;
  /** Lines that are lit. */
  lit: Place | null;
}

interface CodeProps extends Shown {
  ref: Ref<CodeHandle>;
  value: string;
  change(value: string): void;
  autoFocus: boolean;
}

export function CodeView({ ref, value, change, autoFocus, label, problem, wrong, lit }: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef({ value, change });
  latest.current = { value, change };

  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const tell = EditorView.updateListener.of((update) => {
      const text = update.state.doc.toString();
      if (update.docChanged && text !== latest.current.value) latest.current.change(text);
    });
    const description = document.createElement('p');
    description.id = PROBLEM;
    description.hidden = true;
    root.replaceChildren(description);
    const view = new EditorView({ root, parent: root, doc: latest.current.value, extensions: [EXTENSIONS, tell] });
    editor.current = view;
    return () => view.destroy();
  }, []);
  useLayoutEffect(() => {
    const view = editor.current!;
    if (view.state.doc.toString() !== value)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);
  useLayoutEffect(() => {
    editor.current!.dispatch({ effects: show.of({ label, problem, wrong, lit }) });
    host.current!.shadowRoot!.getElementById(PROBLEM)!.textContent = problem;
  }, [label, problem, wrong, lit]);
  useEffect(() => {
    const view = editor.current!;
    if (lit) view.dispatch({ effects: EditorView.scrollIntoView(within(view.state.doc, lit).from, { y: 'nearest' }) });
  }, [lit]);
  useEffect(() => {
    if (autoFocus) editor.current!.focus();
  }, [autoFocus]);
  useImperativeHandle(ref, () => ({
    select(place) {
      const view = editor.current!;
      const { from, to } = within(view.state.doc, place);
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
  }));
  return <div ref={host} className="flex min-h-0 min-w-0 flex-1" />;
}

/** Returns a place as far as the text has it: the text may have changed since. */
function within({ length }: Text, { start, end }: Place): { from: number; to: number } {
  const from = Math.min(start, length);
  return { from, to: Math.min(Math.max(end, from), length) };
}

const NOTHING: Shown = { label: '', problem: '', wrong: null, lit: null };
const show = StateEffect.define<Shown>();
const shown = StateField.define<Shown>({
  create: () => NOTHING,
  update: (before, { effects }) => effects.findLast((effect) => effect.is(show))?.value ?? before,
});

const LIT_LINE = Decoration.line({ class: 'lit' });
const WRONG_LINE = Decoration.line({ class: 'wrong' });
const WRONG = Decoration.mark({ class: 'wrong-text' });

/** Marks the lit lines, and the first line of what is wrong. */
const marks = EditorView.decorations.compute(['doc', shown], (state) => {
  const { wrong, lit } = state.field(shown);
  const ranges = linesOf(state.doc, lit).map((line) => LIT_LINE.range(line.from));
  if (wrong) {
    const { from, to } = within(state.doc, wrong);
    const line = state.doc.lineAt(from);
    ranges.push(WRONG_LINE.range(line.from));
    if (from < line.to) ranges.push(WRONG.range(from, Math.min(Math.max(to, from + 1), line.to)));
  }
  return Decoration.set(ranges, true);
});

class NumberClass extends GutterMarker {
  override elementClass: string;
  constructor(name: string) {
    super();
    this.elementClass = name;
  }
}
const LIT_NUMBER = new NumberClass('lit');
const WRONG_NUMBER = new NumberClass('wrong');

const numbers = gutterLineClass.compute(['doc', shown], (state) => {
  const { wrong, lit } = state.field(shown);
  const ranges = linesOf(state.doc, lit).map((line) => LIT_NUMBER.range(line.from));
  if (wrong) ranges.push(WRONG_NUMBER.range(state.doc.lineAt(within(state.doc, wrong).from).from));
  return RangeSet.of(ranges, true);
});

function linesOf(doc: Text, place: Place | null): { from: number }[] {
  if (!place) return [];
  const { from, to } = within(doc, place);
  const first = doc.lineAt(from).number;
  return Array.from({ length: doc.lineAt(to).number - first + 1 }, (_, at) => doc.line(first + at));
}

const attributes = EditorView.contentAttributes.compute([shown], (state) => {
  const { label, problem } = state.field(shown);
  const described: Record<string, string> = problem === '' ? {} : { 'aria-describedby': PROBLEM };
  return { tabindex: '0', 'aria-label': label, 'aria-invalid': String(problem !== ''), ...described };
});

const theme = EditorView.theme({
  '&': { flex: '1', minWidth: '0', backgroundColor: 'var(--raised)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'inherit',
    lineHeight: '20px',
    scrollbarWidth: 'thin',
    scrollbarColor: 'var(--line-strong) transparent',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-line::selection, .cm-line ::selection': {
    backgroundColor: 'color-mix(in oklch, var(--accent) 25%, transparent)',
  },
  '.cm-gutters': { border: 'none', backgroundColor: 'var(--raised)', color: 'var(--ink-3)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 12px', fontVariantNumeric: 'tabular-nums' },
  '.cm-gutterElement.lit': { color: 'var(--ink)' },
  '.cm-gutterElement.wrong': { color: 'var(--bad)', fontWeight: '600' },
  '.cm-line.lit': { backgroundColor: 'var(--accent-soft)' },
  '.cm-line.wrong': { backgroundColor: 'var(--bad-soft)' },
  '.key': { color: 'var(--accent-ink)' },
  '.string': { color: 'var(--ok)' },
  '.word': { color: 'var(--warn)' },
  '.wrong-text': { textDecoration: 'underline wavy 1px var(--bad)', textUnderlineOffset: '3px' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--press)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent' },
});

const KEY = Decoration.mark({ class: 'key' });
const STRING = Decoration.mark({ class: 'string' });
const WORD = Decoration.mark({ class: 'word' });

/** No token of JSON goes on in the next line, so colours need no parser. */
const tokens = new MatchDecorator({
  regexp: /"(?:[^"\\]|\\.)*"?(?=\s*(:)?)|-?\d[\d.eE+-]*|[a-z]+/g,
  decoration: ([text, colon]) => (text.startsWith('"') ? (colon === undefined ? STRING : KEY) : WORD),
});
const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = tokens.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = tokens.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** A line begins as far in as the line before, two columns further after an opening bracket, and two less with a closing one. */
const indents = indentService.of((context, at) => {
  const { doc } = context.state;
  const { from, text, number } = doc.lineAt(at);
  const before = at > from ? text.slice(0, at - from) : number > 1 ? doc.line(number - 1).text : '';
  const opened = /[[{]\s*$/.test(before) ? INDENT : 0;
  const closed = /^\s*[\]}]/.test(context.textAfterPos(at)) ? INDENT : 0;
  return Math.max(0, before.search(/\S|$/) + opened - closed);
});
/** A closing bracket that begins a line moves out as soon as it is typed. */
const closing = EditorState.languageData.of(() => [{ indentOnInput: /^\s*[\]}]$/ }]);

/** Tab is no key of the editor: it moves the focus, as everywhere in the console. */
const EXTENSIONS = [
  shown,
  marks,
  numbers,
  attributes,
  lineNumbers(),
  history(),
  indents,
  closing,
  indentOnInput(),
  bracketMatching(),
  colours,
  keymap.of([...standardKeymap, ...historyKeymap]),
  EditorState.tabSize.of(2),
  theme,
];
