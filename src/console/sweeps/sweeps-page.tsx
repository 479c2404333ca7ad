/** Sweeps: one or two inputs of a circuit over a range, drawn as the points arrive. */
import '../setup/setup.css';
import './sweeps.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ConnectionError, QcsClient, type RetryNotice } from '../../client/client.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { FieldError, faultsAt } from '../shell/faults.ts';
import { Heading, NeedsKey, Problem } from '../shell/notice.tsx';
import { goTo, hashOf, place } from '../shell/route.ts';
import { client, key } from '../shell/session.ts';
import { EXAMPLES } from './examples.ts';
import { circuitOfParameter } from './program-text.ts';
import { ResultView } from './result-view.tsx';
import { ALL_FIELDS, SetupView } from './setup-view.tsx';
import { labelsOf, newSweepTag, readSweep } from './stored-sweep.ts';
import { planSweep, runSweep, type SweepDraft, type SweepPlan, type SweepRun } from './sweep.ts';

/** Points of the request that the page shows as text, by the number of inputs that vary. */
const MAX_SHOWN_POINTS = [0, 1000, 100] as const;

export function SweepsPage() {
  const draft = useSignal<SweepDraft>(firstDraft());
  const error = useSignal<unknown>(undefined);
  const run = useSignal<SweepRun>();
  const seed = useSignal(drawnSeed());
  /** When a request goes again. */
  const waitsUntil = useSignal<{ readonly time: Date; readonly isReached: boolean }>();
  /** Tag of the sweep that was begun last. */
  const begun = useRef<string>(undefined);
  const result = useRef<HTMLDivElement>(null);
  const end = useRef<AbortController>(undefined);
  useEffect(() => () => end.current?.abort(), []);
  const stored = place.value.query.get('sweep');
  const own = client.value;
  useEffect(() => {
    // One that was begun here has its own address.
    if (stored === null || stored === begun.current || key.value === undefined) return;
    error.value = undefined;
    run.value = undefined;
    readSweep(own, stored).then(
      (read) => {
        if (place.peek().query.get('sweep') !== stored) return;
        draft.value = read.draft;
        run.value = read.run;
      },
      (thrown: unknown) => {
        error.value = thrown;
      },
    );
  }, [stored, own]);

  const plan = useMemo(() => planOrError(draft.value, seed.value), [draft.value, seed.value]);
  const start = async () => {
    error.value = undefined;
    if (plan instanceof FieldError) {
      error.value = plan;
      return;
    }
    const ended = new AbortController();
    end.current = ended;
    const tag = newSweepTag();
    begun.current = tag;
    try {
      const onRetry = ({ delayMs, error: cause }: RetryNotice) => {
        const time = new Date(Date.now() + delayMs);
        waitsUntil.value = { time, isReached: !(cause instanceof ConnectionError) };
      };
      const retrying = new QcsClient({ baseUrl: '', key: key.value ?? '', onRetry });
      result.current?.scrollIntoView({ block: 'nearest' });
      const clock = () => performance.now();
      const labels = labelsOf(draft.value, seed.value, tag);
      await runSweep(plan, retrying.batches, labels, ended.signal, clock, (values, provenance) => {
        waitsUntil.value = undefined;
        // From its first batch on there is something to open again.
        if (values.numDone > 0 && place.peek().page === 'sweeps') {
          goTo(hashOf(['sweeps'], { sweep: tag }), true);
        }
        run.value = { values, provenance, state: 'running' };
      });
      if (run.value !== undefined) run.value = { ...run.value, state: 'completed' };
    } catch (thrown) {
      const isCancelled = ended.signal.aborted;
      if (!isCancelled) error.value = thrown;
      // A sweep that was refused has nothing to show.
      const last = run.value;
      const isShown = last !== undefined && (isCancelled || last.values.numDone > 0);
      run.value = isShown ? { ...last, state: isCancelled ? 'cancelled' : 'failed' } : undefined;
    }
    waitsUntil.value = undefined;
    seed.value = drawnSeed();
  };
  const isRunning = run.value?.state === 'running';
  const hasField = faultsAt(error.value, ...ALL_FIELDS).length > 0;
  return (
    <>
      <Heading
        title="Sweeps"
        lede="Let one input of a circuit vary, or two, and see the values as they arrive."
      />
      <div class="setup-page sweeps">
        <form
          class="setup"
          aria-label="The sweep"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isRunning) void start();
          }}
        >
          <SetupView
            draft={draft.value}
            error={error.value}
            onChange={(next) => {
              draft.value = next;
            }}
          />
          <div class="card go">
            {error.value !== undefined &&
              (error.value instanceof FieldError || hasField ? (
                <p class="notice bad" role="alert">
                  The sweep did not run: see the fields that are marked.
                </p>
              ) : (
                <Problem error={error.value} />
              ))}
            <NeedsKey to="to run a sweep">
              <p class="actions">
                <button type="submit" class="primary" disabled={isRunning}>
                  {isRunning ? 'Running …' : 'Run the sweep'}
                </button>
                {isRunning && (
                  <button type="button" onClick={() => end.current?.abort()}>
                    Cancel
                  </button>
                )}
              </p>
            </NeedsKey>
          </div>
        </form>
        <div ref={result}>
          <ResultView run={run.value} waitsUntil={waitsUntil.value} />
        </div>
        {!(plan instanceof FieldError) && <RequestPanel plan={plan} />}
      </div>
    </>
  );
}

function RequestPanel({ plan }: { readonly plan: SweepPlan }) {
  const count = Math.min(plan.numPoints, MAX_SHOWN_POINTS[plan.axes.length] ?? 0);
  const title =
    count === plan.numPoints
      ? 'The sweep by HTTP'
      : `The first ${count} of ${plan.numPoints} points by HTTP`;
  return (
    <ApiPanel
      call={{ route: 'POST /quantum/batches', body: plan.batchOf(0, count) }}
      title={title}
    />
  );
}

function planOrError(draft: SweepDraft, seed: number): SweepPlan | FieldError {
  try {
    return planSweep(draft, seed);
  } catch (error) {
    if (error instanceof FieldError) return error;
    throw error;
  }
}

/** The circuit of the address, or the first example. */
function firstDraft(): SweepDraft {
  const [{ draft }] = EXAMPLES;
  const circuit = place.value.query.get('circuit');
  return circuit === null ? draft : { ...draft, text: circuitOfParameter(circuit), inputs: {} };
}

function drawnSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
