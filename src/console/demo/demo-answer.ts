/** Validates the service's answer: the page may be older or newer than the service. */

/** Result of a run. */
export interface DemoAnswer {
  readonly label: string;
  readonly prediction: number;
  readonly expectation: number;
  readonly threshold: number;
  /** Distance of the expectation from the threshold, in shot noises. */
  readonly margin: number;
  readonly shots: number;
  /** Backend that ran the circuit. */
  readonly backend: string;
  readonly seed: number;
  /** Names of features that were outside the range of the training rows, and were clipped. */
  readonly outOfRange: readonly string[];
  /** Counts by bit string, qubit 0 rightmost. */
  readonly counts: ReadonlyMap<string, number>;
  readonly queueMs: number;
  readonly executionMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of an object; none if the value is not an object. */
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Reads an answer with its `data`; undefined if it is not a result. */
export function readAnswer(answer: unknown): DemoAnswer | undefined {
  const data = fieldsOf(fieldsOf(answer)['data']);
  const timing = fieldsOf(data['timing']);
  const counts = readCounts(data['counts']);
  const label = data['prediction_label'];
  const expectation = finite(data['expectation']);
  const threshold = finite(data['threshold']);
  const margin = finite(data['margin_in_shot_noise']);
  const shots = finite(data['shots_per_circuit']);
  if (typeof label !== 'string' || counts === undefined) return undefined;
  if (expectation === undefined || threshold === undefined) return undefined;
  if (margin === undefined || shots === undefined) return undefined;
  const outOfRange = data['out_of_range'];
  return {
    label,
    prediction: finite(data['prediction']) ?? 0,
    expectation,
    threshold,
    margin,
    shots,
    backend: typeof data['backend'] === 'string' ? data['backend'] : 'a backend it did not name',
    seed: finite(data['seed']) ?? 0,
    outOfRange: Array.isArray(outOfRange) ? outOfRange.map(String) : [],
    counts,
    queueMs: finite(timing['queue_ms']) ?? 0,
    executionMs: finite(timing['execution_ms']) ?? 0,
  };
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function readCounts(value: unknown): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const [outcome, count] of Object.entries(fieldsOf(value))) {
    if (typeof count !== 'number' || !/^[01]+$/.test(outcome)) return undefined;
    counts.set(outcome, count);
  }
  return counts.size === 0 ? undefined : counts;
}
