/** A reader of a job's events that reconnects gets every event that it missed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type EventPosition,
  eventsSince,
  formatPosition,
  type JobEvent,
  parsePosition,
} from '../../src/jobs/job-events.ts';
import type { JobState, WatchedRecord } from '../../src/jobs/job-watch.ts';
import { numCases } from '../support/seeds.ts';

const anAction = fc.oneof(
  { weight: 3, arbitrary: fc.constant('start' as const) },
  { weight: 6, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant('startOver' as const) },
);
const anInterruption = fc.constantFrom('crash' as const, 'putBack' as const);
const anEnd = fc.constantFrom('completed' as const, 'failed' as const, 'cancelled' as const);
type Action = 'start' | 'startOver' | 'crash' | 'putBack' | number;

const CREATED: WatchedRecord = {
  id: 'circ_0',
  kind: 'circuit',
  keyId: 'key-1',
  status: 'queued',
  priority: 'normal',
  target: 'statevector-sim',
  createdAt: 1000,
  attempts: 0,
};

/** Every state that the job is in, one after the other. Each step takes a millisecond. */
function statesOf(actions: readonly Action[], end: 'completed' | 'failed' | 'cancelled') {
  let state: JobState = { record: CREATED };
  const states = [state];
  let now = 1000;
  for (const action of actions) {
    now += 1;
    state = stateAfter(state, action, now);
    states.push(state);
  }
  if (state.record.startedAt === undefined && end === 'completed') {
    state = stateAfter(state, 'start', now + 1);
    states.push(state);
  }
  const record = { ...state.record, status: end, finishedAt: now + 2 };
  // Told as it ends, and then by the record alone.
  return [...states, { ...state, record }, { record }];
}

function stateAfter({ record, progress }: JobState, action: Action, now: number): JobState {
  const { startedAt, attempts, ...rest } = record;
  if (startedAt === undefined) {
    if (action !== 'start') return { record };
    return {
      record: { ...rest, status: 'running', startedAt: now, attempts: attempts + 1 },
      progress: 0,
    };
  }
  switch (action) {
    case 'start':
      return { record, progress: progress ?? 0 };
    case 'startOver':
      return { record, progress: 0 };
    case 'crash':
      return { record: { ...rest, status: 'queued', attempts } };
    case 'putBack':
      return { record: { ...rest, status: 'queued', attempts: attempts - 1 } };
    default:
      return { record, progress: Math.max(progress ?? 0, action) };
  }
}

/** Events that a reader receives which looks at the states for which it is connected. */
function told(states: readonly JobState[], readsUpTo: readonly number[]): JobEvent[] {
  let since: EventPosition | undefined;
  const all: JobEvent[] = [];
  for (const [i, state] of states.entries()) {
    const isLast = i === states.length - 1;
    // The connection carries so many of the events, and then ends.
    const events = eventsSince(since, state).slice(0, isLast ? Infinity : readsUpTo[i]);
    all.push(...events);
    const last = events.at(-1);
    // Through the header and back.
    if (last !== undefined) since = parsePosition(formatPosition(last.position));
  }
  return all;
}

const idsOf = (events: readonly JobEvent[]) =>
  events
    .filter(({ kind }) => kind !== 'progress')
    .map(({ kind, position }) => `${kind} ${formatPosition(position)}`);

const cuts = fc.array(fc.constantFrom(0, 0, 1, 2, 3, Infinity), { minLength: 40, maxLength: 40 });

test('if the job is not interrupted, lost connections change no status and no done event that a reader gets', () => {
  const property = fc.property(
    fc.array(anAction, { maxLength: 12 }),
    anEnd,
    cuts,
    (actions, end, readsUpTo) => {
      const states = statesOf(actions, end);
      const whole = idsOf(told(states, []));
      expect(idsOf(told(states, readsUpTo))).toEqual(whole);
      expect(whole.at(-1)).toContain('done');
      expect(new Set(whole).size).toBe(whole.length);
    },
  );
  fc.assert(property, { seed: 20_261_121, numRuns: numCases(125) });
});

test('over crashes and shutdowns a reader gets part of the events in order, and all of the last run', () => {
  const property = fc.property(
    fc.array(fc.oneof(anAction, anInterruption), { maxLength: 20 }),
    anEnd,
    cuts,
    (actions, end, readsUpTo) => {
      const states = statesOf(actions, end);
      const whole = idsOf(told(states, []));
      const read = idsOf(told(states, readsUpTo));
      let at = 0;
      for (const id of whole) if (id === read[at]) at += 1;
      expect(at).toBe(read.length);
      // The last run: running if it was started, the end, and done.
      const last = states.at(-1);
      const lastRun = idsOf(last === undefined ? [] : eventsSince(undefined, last)).slice(1);
      expect(read.slice(-lastRun.length)).toEqual(lastRun);
    },
  );
  fc.assert(property, { seed: 20_261_122, numRuns: numCases(125) });
});

test('progress only grows within a run, wherever the connection was lost', () => {
  const property = fc.property(
    fc.array(fc.oneof(anAction, anInterruption), { maxLength: 20 }),
    anEnd,
    cuts,
    (actions, end, readsUpTo) => {
      const latest = new Map<string, number>();
      for (const event of told(statesOf(actions, end), readsUpTo)) {
        if (event.kind !== 'progress') continue;
        const run = formatPosition(event.position).split('.').slice(0, 3).join('.');
        expect(event.permille).toBeGreaterThan(latest.get(run) ?? -1);
        latest.set(run, event.permille);
      }
    },
  );
  fc.assert(property, { seed: 20_261_123, numRuns: numCases(125) });
});
