/**
 * Rate limits over a cluster: windows of fixed length by subject, which all nodes share.
 *
 * A node draws a block of requests from the window of a subject and counts them itself. It draws the next block before
 * the present one is used up. A block belongs to its window: requests not spent when the window ends, or when the node
 * crashes, are lost. So the requests of a window never exceed the limit.
 *
 * A window opens with the first draw after the end of the one before, by the clock of the database. A node knows its
 * end on its own clock, at most the time of one query too early.
 */
import type { Query } from '../storage/postgres/connection.ts';
import { WriteBatches } from '../storage/postgres/write-batches.ts';
import type { PostgresWriter } from '../storage/postgres/writer.ts';
import { blockSize, lockSubjects, MAX_DRAWS_AT_ONCE } from './blocks.ts';

/** Number of the advisory locks of windows: "qct". */
const LOCKS = 0x716374;

/** Wanted size of the first block of a window. Each further one may have twice the size of the last. */
const FIRST_BLOCK = 4;

/** Options of RateWindows. */
interface RateWindowsOptions {
  readonly writer: Pick<PostgresWriter, 'write'>;
  /** Length of a window, milliseconds. */
  readonly lengthMs: number;
  /** Number of nodes that take requests, with this one. */
  readonly numNodes: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsedMs: () => number;
  /** SQL expression for the time of the database; only tests give one. */
  readonly time?: string;
}

/** Outcome of a request, with its window on the clock of `elapsedMs`. */
interface RateHit {
  readonly allowed: boolean;
  readonly openedAt: number;
  readonly endsAt: number;
  /** Requests of the window that this node knows of, including the draws of other nodes. */
  readonly used: number;
}

/** Window of a subject, as of the last draw. */
interface DrawnWindow {
  /** Start by the clock of the database, which names the window. */
  readonly name: string;
  /** End on the clock of `elapsedMs`. */
  readonly endsAt: number;
  /** Requests that all nodes have drawn. */
  readonly drawn: number;
  /** Size of the last block. */
  readonly block: number;
}

/** Shared windows of equal length. */
export class RateWindows {
  readonly #options: RateWindowsOptions;
  readonly #draws: WriteBatches<RateBudget, DrawnWindow>;
  readonly #budgets = new Map<string, RateBudget>();
  #sweepAt = 0;

  constructor(options: RateWindowsOptions) {
    this.#options = options;
    const { time = 'clock_timestamp()' } = options;
    const statement = { name: 'draw_requests', text: drawing(time) };
    this.#draws = new WriteBatches<RateBudget, DrawnWindow>(options.writer, {
      subjectOf: ({ subject }) => subject,
      isAlone: true,
      maxItems: MAX_DRAWS_AT_ONCE,
      run: (query, budgets) => this.#drawAll(query, statement, budgets),
    });
  }

  /** Number of subjects in memory: those of the last two windows. */
  get size(): number {
    return this.#budgets.size;
  }

  /**
   * Counts one request; one above the limit is neither counted nor allowed. Gives a promise only if a block must be
   * drawn first. Requests that wait at the same time share the draw.
   *
   * @param now - Milliseconds on the clock of `elapsedMs`.
   * @throws {StorageUnwritableError} if the block is used up and the database cannot be written now.
   */
  hit(subject: string, limit: number, now: number): RateHit | Promise<RateHit> {
    this.#forgetEnded(now);
    const budget = this.#budgetOf(subject);
    budget.limit = limit;
    const outcome = this.#spend(budget, limit, now);
    if (outcome === undefined) return this.#hitLater(budget, limit);
    // If it fails, the next request draws.
    if (budget.isLow) this.#draw(budget).catch(() => {});
    return outcome;
  }

  /** Deletes windows that ended long ago. */
  async prune(): Promise<void> {
    const { writer, lengthMs, time = 'clock_timestamp()' } = this.#options;
    // A node that draws at this moment is not waited for.
    const ended = `SELECT subject FROM rate_windows
      WHERE opened_at < ${time} - 2 * $1::float8 * interval '1 millisecond' FOR UPDATE SKIP LOCKED`;
    const statement = `DELETE FROM rate_windows WHERE subject IN (${ended})`;
    await writer.write((query) => query(statement, [lengthMs]), true);
  }

  /** Spends a drawn request; undefined if a block must be drawn first. */
  #spend(budget: RateBudget, limit: number, now: number): RateHit | undefined {
    const { window } = budget;
    if (window === undefined || now >= window.endsAt) return undefined;
    const allowed = budget.unspent > 0;
    if (!allowed && window.drawn < limit) return undefined;
    if (allowed) budget.unspent -= 1;
    const { endsAt, drawn } = window;
    const openedAt = endsAt - this.#options.lengthMs;
    return { allowed, openedAt, endsAt, used: Math.min(limit, drawn - budget.unspent) };
  }

  async #hitLater(budget: RateBudget, limit: number): Promise<RateHit> {
    budget.numWaiting += 1;
    try {
      for (;;) {
        await this.#draw(budget);
        const outcome = this.#spend(budget, limit, this.#options.elapsedMs());
        if (outcome !== undefined) return outcome;
      }
    } finally {
      budget.numWaiting -= 1;
    }
  }

  /** Draws a block, unless a draw is under way; waits for it in both cases. */
  #draw(budget: RateBudget): Promise<void> {
    budget.drawing ??= this.#draws
      .add(budget)
      .then((window) => budget.add(window))
      .finally(() => {
        budget.drawing = undefined;
      });
    return budget.drawing;
  }

  async #drawAll(
    query: Query,
    statement: { readonly name: string; readonly text: string },
    budgets: readonly RateBudget[],
  ): Promise<readonly DrawnWindow[]> {
    const { lengthMs, numNodes, elapsedMs } = this.#options;
    const sentAt = elapsedMs();
    const subjects = budgets.map(({ subject }) => subject);
    const asked = [
      subjects,
      budgets.map(({ limit }) => limit),
      budgets.map(({ numWaiting }) => numWaiting),
      budgets.map(({ window }) => Math.max(FIRST_BLOCK, 2 * (window?.block ?? 0))),
    ];
    const [, { rows }] = await Promise.all([
      lockSubjects(query, LOCKS, subjects),
      query(statement, [...asked, lengthMs, numNodes()]),
    ]);
    const bySubject = new Map(rows.map((row) => [row['subject'], row]));
    return subjects.map((subject) => {
      const row = bySubject.get(subject);
      if (row === undefined) throw new Error('unreachable: a draw without an answer');
      return {
        name: String(row['name']),
        endsAt: sentAt + Math.min(lengthMs, Number(row['left_ms'])),
        drawn: Number(row['drawn']),
        block: Number(row['block']),
      };
    });
  }

  #budgetOf(subject: string): RateBudget {
    let budget = this.#budgets.get(subject);
    if (budget === undefined) {
      budget = new RateBudget(subject);
      this.#budgets.set(subject, budget);
    }
    return budget;
  }

  /** Goes through all subjects once a window's length. */
  #forgetEnded(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + this.#options.lengthMs;
    for (const [subject, { window, drawing, numWaiting }] of this.#budgets) {
      const hasEnded = window === undefined || now >= window.endsAt;
      if (hasEnded && drawing === undefined && numWaiting === 0) this.#budgets.delete(subject);
    }
  }
}

/** Requests that a node has drawn for a subject. */
class RateBudget {
  readonly subject: string;
  /** Limit of the last request. */
  limit = 0;
  /** Undefined before the first draw. */
  window: DrawnWindow | undefined;
  /** Requests that were drawn from the window and not spent. */
  unspent = 0;
  numWaiting = 0;
  drawing: Promise<void> | undefined;

  constructor(subject: string) {
    this.subject = subject;
  }

  /** True if the next block should be drawn. Small blocks are not followed up: they show that the limit is near. */
  get isLow(): boolean {
    const { window, unspent } = this;
    return window !== undefined && window.block >= FIRST_BLOCK && 2 * unspent <= window.block;
  }

  /** Adds a drawn block. Requests left of an earlier window are lost. */
  add(window: DrawnWindow): void {
    const isSame = this.window?.name === window.name;
    this.unspent = (isSame ? this.unspent : 0) + window.block;
    this.window = window;
  }
}

/**
 * Statement that draws a block for each subject, and opens its window if the last one is over.
 *
 * It reads the time once, after the locks. A window that began far in the future is over: the clock was set back.
 * Parameters: subjects, limits, needed and wanted sizes; length of a window in milliseconds, number of nodes.
 */
function drawing(time: string): string {
  const length = `$5::float8 * interval '1 millisecond'`;
  return `
    WITH clock AS MATERIALIZED (SELECT ${time} AS instant),
    present AS MATERIALIZED (
      SELECT subject, quota, needed, wanted, instant,
        CASE WHEN is_open THEN opened_at ELSE instant END AS opened_at,
        CASE WHEN is_open THEN drawn ELSE 0 END AS drawn
      FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
          AS asked (subject, quota, needed, wanted)
        CROSS JOIN clock
        LEFT JOIN rate_windows USING (subject)
        CROSS JOIN LATERAL (
          SELECT opened_at > instant - ${length} AND opened_at < instant + ${length}
        ) AS state (is_open)
    ), granted AS MATERIALIZED (
      SELECT subject, instant, opened_at, drawn, ${blockSize('$6')} AS block
      FROM (SELECT *, greatest(0, quota - drawn) AS free FROM present) AS left_over
    ), written AS (
      INSERT INTO rate_windows AS stored (subject, opened_at, drawn)
        SELECT subject, opened_at, drawn + block FROM granted WHERE block > 0
        ON CONFLICT (subject) DO UPDATE SET opened_at = excluded.opened_at, drawn = excluded.drawn
    )
    SELECT subject, opened_at::text AS name, drawn + block AS drawn, block,
      extract(epoch FROM opened_at + ${length} - instant) * 1000 AS left_ms
    FROM granted`;
}
