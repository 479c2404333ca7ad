/**
 * Progress bar on one line of a terminal, for work that takes more than a second. It writes nothing to a
 * stream that is not a terminal.
 */
import { type CommandIo, Interrupt, type TerminalStream } from './command-io.ts';

const APPEARS_AFTER_MS = 1000;
const REDRAW_EVERY_MS = 100;
const ERASE_LINE = '\r\u001b[2K';
const MOST_COLUMNS = 40;
/** Fewest columns of the bar beside a message. */
const FEWEST_COLUMNS = 5;

/** Bar that appears after one second of work. Dispose of it to erase it. */
export class ProgressBar implements Disposable {
  readonly #stream: TerminalStream;
  readonly #label: string;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #doneBefore: number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  /**
   * @param now - Milliseconds, monotonic.
   * @param doneBefore - Fraction of the work done before the bar was made.
   */
  constructor(stream: TerminalStream, label: string, now: () => number, doneBefore = 0) {
    this.#stream = stream;
    this.#label = label;
    this.#now = now;
    this.#startedAt = now();
    this.#doneBefore = doneBefore;
  }

  /**
   * Draws the fraction done, in [0, 1]. Does nothing in the first second or shortly after the last drawing.
   *
   * @param message - Current work; cut off at the end of the line.
   */
  update(fraction: number, message = ''): void {
    const now = this.#now();
    const elapsedMs = now - this.#startedAt;
    if (this.#stream.isTTY !== true || elapsedMs < APPEARS_AFTER_MS) return;
    if (now - this.#drawnAt < REDRAW_EVERY_MS) return;
    this.#drawnAt = now;
    this.#isShown = true;
    const suffix = ` ${String(Math.floor(fraction * 100)).padStart(3)}%  ${this.#remaining(fraction, elapsedMs)}`;
    const room = (this.#stream.columns || 80) - this.#label.length - suffix.length - 4;
    const beside = message === '' ? '' : `  ${message}`;
    const width = Math.max(FEWEST_COLUMNS, Math.min(MOST_COLUMNS, room - beside.length));
    const filled = Math.round(fraction * width);
    const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
    const end = beside.slice(0, Math.max(0, room - width));
    this.#stream.write(`${ERASE_LINE}${this.#label} ${bar}${suffix}${end}`);
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#stream.write(ERASE_LINE);
    this.#isShown = false;
  }

  #remaining(fraction: number, elapsedMs: number): string {
    const done = fraction - this.#doneBefore;
    if (done <= 0.01) return '';
    return `${Math.ceil((elapsedMs * (1 - fraction)) / done / 1000)} s left`;
  }
}

/**
 * Does work with a progress bar.
 *
 * @param work - Gets a function that takes the fraction done, and a signal that Ctrl-C aborts (InterruptedError).
 */
export async function withProgress<T>(
  io: Pick<CommandIo, 'err' | 'now' | 'onInterrupt'>,
  work: (
    onProgress: (fraction: number, message?: string) => void,
    signal: AbortSignal,
  ) => Promise<T>,
): Promise<T> {
  using interrupt = new Interrupt(io);
  using bar = new ProgressBar(io.err, 'running', io.now);
  return await work((fraction, message) => bar.update(fraction, message), interrupt.signal);
}
