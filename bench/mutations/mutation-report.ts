/** Figures of a run of mutated requests, with one example of each kind of fault. */
import type { Verdict } from './answer-check.ts';
import type { Pause } from './loop-watch.ts';
import type { MutatedRequest } from './request-deck.ts';
import type { WireAnswer } from './wire.ts';

/**
 * Why a request was sent: as part of the load, to cancel a job that it started, or to examine it
 * alone.
 */
export type Kind = 'mutated' | 'cancel' | 'replayed';

/** A pause with long computation, and the requests in progress. */
export interface Suspect {
  readonly pause: Pause;
  readonly requests: readonly MutatedRequest[];
  /** Computing time in the longest pause when that request came alone. */
  readonly alone: { readonly number: number; readonly ms: number }[];
}

interface Fault {
  count: number;
  readonly what: string;
  readonly example: object;
}

const LONGEST_PAUSE_MS = 50;
/** Answers slower than this are reported: nothing that is sent here should take so long. */
const SLOW_MS = 5000;
const MOST_KINDS = 200;
const MOST_SUSPECTS = 100;
const MOST_TOLD = 12;

/** Collects the figures of a run. */
export class MutationReport {
  seconds = 0;
  #longest: Pause | undefined;
  #longestComputedMs = 0;
  #longestBlockedMs = 0;
  #pauses = 0;
  #computedPauses = 0;
  #mostRssMib = 0;
  #slowest: { readonly ms: number; readonly request: MutatedRequest } | undefined;
  #slow = 0;
  readonly #suspects: Suspect[] = [];
  readonly #faults = new Map<string, Fault>();
  /** Requests by route, then by status. */
  readonly #routes = new Map<string, Map<string, number>>();
  readonly #codes = new Map<string, number>();
  readonly #mutations = new Map<string, number>();
  readonly #kinds = new Map<string, number>();

  /** Milliseconds of the longest pause so far, whatever its cause. */
  get longestPauseMs(): number {
    return this.#longest?.ms ?? 0;
  }

  /** Faults so far. */
  get faults(): number {
    return [...this.#faults.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Records an answer. */
  answered(
    kind: Kind,
    request: MutatedRequest,
    { status, body }: WireAnswer,
    { route, fault, codes }: Verdict,
    ms: number,
  ): void {
    this.#count(kind, request, route, `${status}`, ms);
    for (const code of codes) add(this.#codes, `${status} ${code}`);
    if (fault === undefined) return;
    this.#fault(`${route} ${status}: ${fault}`, request, body);
  }

  /**
   * Records a request whose connection the service closed without an answer, which is right only if
   * its framing was broken.
   */
  unanswered(kind: Kind, request: MutatedRequest, ms: number): void {
    this.#count(kind, request, 'no answer', 'none', ms);
    if (request.isFramed) this.#fault('no answer', request, '');
  }

  /** Records a pause. */
  paused(pause: Pause, requests: readonly MutatedRequest[]): void {
    const { ms, waited_ms, computed_ms } = pause;
    if (ms > this.longestPauseMs) this.#longest = pause;
    this.#longestComputedMs = Math.max(this.#longestComputedMs, computed_ms);
    this.#longestBlockedMs = Math.max(this.#longestBlockedMs, ms - waited_ms - computed_ms);
    if (ms > LONGEST_PAUSE_MS) this.#pauses++;
    if (computed_ms <= LONGEST_PAUSE_MS) return;
    this.#computedPauses++;
    this.#suspects.push({ pause, requests, alone: [] });
    if (this.#suspects.length > MOST_SUSPECTS) {
      this.#suspects.sort(byComputedMs).splice(MOST_SUSPECTS / 2);
    }
  }

  /** Records the service's memory. */
  rss(mib: number): void {
    this.#mostRssMib = Math.max(this.#mostRssMib, mib);
  }

  /** Records unexpected errors in the service's log. */
  log(text: string): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      this.#addFault(`logged: ${line.slice(0, 2000)}`, {});
    }
  }

  /** The longest of the pauses with too much computation. */
  suspects(most: number): readonly Suspect[] {
    return this.#suspects.sort(byComputedMs).slice(0, most);
  }

  /** Rows of the report, one for each route, and facts of the whole run. */
  results(): { readonly rows: readonly object[]; readonly facts: object } {
    const rows = [...this.#routes].sort().map(([route, statuses]) => ({
      route,
      requests: [...statuses.values()].reduce((sum, count) => sum + count, 0),
      ...Object.fromEntries([...statuses].sort()),
    }));
    const requests = this.#kinds.get('mutated') ?? 0;
    const facts = {
      run_seconds: Math.round(this.seconds),
      requests_per_sec: Math.round(requests / this.seconds),
      requests: toObject(this.#kinds),
      mutations: toObject(this.#mutations),
      errors_by_condition: toObject(this.#codes),
      slowest_answer: this.#slowest && {
        ms: Math.round(this.#slowest.ms),
        request: shown(this.#slowest.request),
      },
      answers_slower_than_5_s: this.#slow,
      most_memory_mib: this.#mostRssMib,
      event_loop: {
        longest_pause: this.#longest === undefined ? null : parts(this.#longest),
        pauses_above_50_ms: this.#pauses,
        pauses_with_more_than_50_ms_of_computing: this.#computedPauses,
        most_computing_in_a_pause_ms: round(this.#longestComputedMs),
        longest_block_ms: round(this.#longestBlockedMs),
        of_computing: this.suspects(MOST_TOLD).map(({ pause, requests: underWay, alone }) => ({
          ...parts(pause),
          requests_under_way: underWay.length,
          longest_alone: longestOf(alone, underWay),
        })),
      },
      faults: this.faults,
      kinds_of_faults: [...this.#faults.values()].sort((a, b) => b.count - a.count),
    };
    return { rows, facts };
  }

  #count(kind: Kind, request: MutatedRequest, route: string, status: string, ms: number) {
    const { mutations } = request;
    add(this.#kinds, kind);
    if (kind === 'replayed') return;
    const statuses = this.#routes.get(route) ?? new Map<string, number>();
    this.#routes.set(route, statuses);
    add(statuses, status);
    if (kind === 'mutated') {
      for (const each of mutations.length === 0 ? ['none'] : mutations) add(this.#mutations, each);
    }
    if (ms > (this.#slowest?.ms ?? 0)) this.#slowest = { ms, request };
    if (ms > SLOW_MS) this.#slow++;
  }

  #fault(what: string, request: MutatedRequest, body: string): void {
    this.#addFault(what, {
      number: request.number,
      mutations: request.mutations,
      request: shown(request),
      answer: body.slice(0, 1000),
    });
  }

  /** Adds a fault; faults that differ in ids and figures only are one kind. */
  #addFault(what: string, example: object): void {
    const kind = what.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#').slice(0, 300);
    const known = this.#faults.get(kind);
    if (known !== undefined) known.count++;
    else if (this.#faults.size < MOST_KINDS) this.#faults.set(kind, { count: 1, what, example });
  }
}

function parts({ ms, waited_ms, computed_ms }: Pause): object {
  return {
    ms: round(ms),
    waited_for_a_core_ms: round(waited_ms),
    computed_ms: round(computed_ms),
    blocked_ms: round(Math.max(0, ms - waited_ms - computed_ms)),
  };
}

/** The request that causes the longest pause alone. */
function longestOf(alone: Suspect['alone'], requests: readonly MutatedRequest[]): object | null {
  const [first] = alone.toSorted((a, b) => b.ms - a.ms);
  if (first === undefined || first.ms === 0) return null;
  const request = requests.find(({ number }) => number === first.number);
  return {
    ms: round(first.ms),
    number: first.number,
    request: request && shown(request),
  };
}

/** A request in readable form: without keys, with runs of one character counted. */
function shown({ bytes }: MutatedRequest): string {
  return bytes
    .toString('latin1', 0, 200_000)
    .replace(/qcs_[0-9a-f]{16}_[0-9a-f]{64}/g, 'KEY')
    .replace(/([\s\S])\1{29,}/g, (run, each: string) => `${each}{${run.length} times}`)
    .slice(0, 2000);
}

function byComputedMs(a: Suspect, b: Suspect): number {
  return b.pause.computed_ms - a.pause.computed_ms;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function toObject(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

function round(ms: number): number {
  return Math.round(10 * ms) / 10;
}
