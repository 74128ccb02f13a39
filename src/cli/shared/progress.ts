/** Shows progress: as a bar on a terminal; elsewhere as plain lines, at most one per PLAIN_INTERVAL_MS and a last one. */
import type { Io } from './io.ts';

export interface Progress {
  update(done: number, total: number, note?: string): void;
  /** Writes the last state and ends the line. */
  end(note?: string): void;
}

export const PLAIN_INTERVAL_MS = 2000;
const REDRAW_INTERVAL_MS = 80;
const BAR_CELLS = 24;
/** A shorter bar shows less than the percentage. */
const BAR_CELLS_MIN = 4;

/** Starts a progress display. `now` returns milliseconds. */
export function startProgress(io: Io, label: string, now: () => number = Date.now): Progress {
  const intervalMs = io.terminal ? REDRAW_INTERVAL_MS : PLAIN_INTERVAL_MS;
  let state = { share: 0, note: '' };
  let latest = { done: 0, total: 0 };
  let start = { done: 0, share: 0 };
  let drawnAt = Number.NEGATIVE_INFINITY;

  function draw(): void {
    drawnAt = now();
    if (io.terminal) io.err(`\r\x1b[2K${barLine(label, state, io.columns)}`);
    else io.err(`${plainLine(label, state)}\n`);
  }

  return {
    update(done, total, note = '') {
      // The total grows when files are found inside files. The bar then goes on from where it is, unless it was full.
      if (total !== latest.total) start = { done: latest.done, share: state.share };
      if (start.share === 1) start = { done: 0, share: 0 };
      latest = { done, total };
      state = { share: shareOf(done, total, start), note };
      if (now() - drawnAt >= intervalMs) draw();
    },
    end(note) {
      if (note !== undefined) state = { ...state, note };
      draw();
      if (io.terminal) io.err('\n');
    },
  };
}

interface State {
  /** From 0 to 1. */
  share: number;
  note: string;
}

/**
 * Returns a line with a bar. It has at most `columns - 1` characters, because a wrapped line cannot be redrawn. On a narrow terminal the
 * bar gives way to the text, which says how many files failed.
 */
export function barLine(label: string, state: State, columns: number): string {
  const widthMax = Math.max(1, columns - 1);
  const text = plainLine(label, state);
  const cells = Math.min(BAR_CELLS, widthMax - text.length - 1);
  if (cells < BAR_CELLS_MIN) return text.slice(0, widthMax);
  const full = Math.round(state.share * cells);
  return `${label} ${'█'.repeat(full)}${'░'.repeat(cells - full)}${text.slice(label.length)}`;
}

/** Returns a line for a log, without a bar and without escape sequences. */
function plainLine(label: string, state: State): string {
  return `${label} ${percent(state.share)} ${state.note}`.trimEnd();
}

/** Returns the share at `start`, and of the rest the part that was done since then. */
function shareOf(done: number, total: number, start: { done: number; share: number }): number {
  if (done >= total) return total === 0 ? 0 : 1;
  const part = (done - start.done) / (total - start.done);
  return start.share + (1 - start.share) * Math.min(1, Math.max(0, part));
}

function percent(share: number): string {
  return `${String(Math.floor(share * 100)).padStart(3)} %`;
}

/** Formats a size in decimal units: `1.3 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats milliseconds as `2.5 s`. */
export function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
