/**
 * Results of a job in IonQ's formats, made from the parts that its batch stored.
 *
 * Keys of the first version of the formats are outcomes as decimal whole numbers, qubit 0 the least significant bit.
 * Those of the second are texts of bits by register, bit 0 rightmost, and lists of bits, bit 0 first.
 */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobPart, JobPartPlace } from '../../jobs/job.ts';
import { basisLabel } from '../../math/basis-index.ts';
import { addToSeed } from '../../math/philox.ts';
import { programOfSeries, seriesOf } from '../batches/batch-result.ts';
import { batchFactsOf } from '../batches/read-batch.ts';
import { bitsOfLabel, drawnShotOrder } from '../circuits/outcome-labels.ts';
import type { Jobs } from '../directories.ts';
import { IonqResultNotFoundError } from '../http/errors.ts';
import { parseStored } from '../jobs/stored-request.ts';
import type { IonqFacts } from './ionq-facts.ts';

/** A job of IonQ's interface, or one circuit of it. */
export interface IonqJob {
  readonly job: Job;
  readonly facts: IonqFacts;
  /** Index of the circuit, for a child of a multi-circuit job. */
  readonly circuit?: number;
}

/** Outcomes with their probabilities or counts; bit 0 is the rightmost character of a label. */
type Outcomes = readonly (readonly [label: string, weight: number])[];

/** Outcomes of one circuit. */
interface CircuitOutcomes {
  readonly circuit: number;
  /** Exact where the job has exact probabilities, otherwise those of the counts. */
  readonly probabilities: Outcomes;
  /** Undefined if no shots were asked for. */
  readonly counts: Outcomes | undefined;
}

/** Exact probabilities below this are rounding errors of the state, and are left out. */
const LEAST_PROBABILITY = 1e-15;

const AGGREGATE = 'ionq.result.probabilities-aggregate.json.v1';

type Writer = (outcomes: CircuitOutcomes, job: IonqJob) => unknown;

/** Formats of the results of one circuit, and whether they need shots. */
const FORMATS: Readonly<Record<string, { readonly needsCounts: boolean; readonly write: Writer }>> =
  {
    'ionq.result.probabilities.json.v1': {
      needsCounts: false,
      write: ({ probabilities }) => byDecimal(probabilities),
    },
    'ionq.result.probabilities.json.v2': {
      needsCounts: false,
      write: (outcomes, job) => ({
        probabilities: { registers: byRegister(outcomes.probabilities, outcomes.circuit, job) },
      }),
    },
    'ionq.result.histogram.json.v1': {
      needsCounts: true,
      write: ({ counts = [] }) => byDecimal(counts),
    },
    'ionq.result.histogram.json.v2': {
      needsCounts: true,
      write: (outcomes, job) => ({
        histogram: { registers: byRegister(outcomes.counts ?? [], outcomes.circuit, job) },
      }),
    },
    'ionq.result.shots.json.v1': {
      needsCounts: true,
      write: (outcomes, job) => inRandomOrder(outcomes, job).map((label) => decimalOf(label)),
    },
    'ionq.result.shots.json.v2': {
      needsCounts: true,
      write: (outcomes, job) => ({
        shots: inRandomOrder(outcomes, job).map((label) => ({
          registers: Object.fromEntries(
            registersOf(job, outcomes.circuit).map(([name, bits]) => [
              name,
              bits.map((bit) => Number(label.at(-1 - bit))),
            ]),
          ),
        })),
      }),
    },
  };

/** Names that older clients read results by, with the format and the end of the URL. */
const BY_URL = {
  probabilities: 'ionq.result.probabilities.json.v1',
  histogram: 'ionq.result.histogram.json.v1',
  shots: 'ionq.result.shots.json.v1',
} as const;
export type ResultByUrl = keyof typeof BY_URL;
/** Names of the results that have a URL of their own. */
export const RESULTS_BY_URL: readonly string[] = Object.keys(BY_URL);

function isMany({ facts, circuit }: IonqJob): boolean {
  return facts.type === 'ionq.multi-circuit.v1' && circuit === undefined;
}

/**
 * Descriptions of a completed job's results: by format for newer clients, and by name with a URL for older ones.
 *
 * @param path - Path of the job.
 */
export function resultDescriptors(job: IonqJob, path: string): Readonly<Record<string, object>> {
  const descriptor = (format: string) => ({ id: format, format, media_type: 'application/json' });
  if (isMany(job)) {
    const url = `${path}/results/probabilities/aggregated`;
    return {
      [AGGREGATE]: descriptor(AGGREGATE),
      probabilities: { ...descriptor(AGGREGATE), url },
    };
  }
  const has = (format: string) => job.facts.hasCounts || FORMATS[format]?.needsCounts === false;
  const formats = Object.keys(FORMATS).filter(has);
  const named = Object.entries(BY_URL).filter(([, format]) => has(format));
  return Object.fromEntries([
    ...formats.map((format) => [format, descriptor(format)]),
    ...named.map(([name, format]) => [
      name,
      { ...descriptor(format), url: `${path}/results/${name}` },
    ]),
  ]);
}

/** JSON text of a result in chunks. */
export type ResultText = AsyncIterable<string>;

/**
 * An artifact of a job.
 *
 * @throws {IonqResultNotFoundError} if the job has no such artifact.
 */
export function artifactText(jobs: Pick<Jobs, 'parts'>, job: IonqJob, id: string): ResultText {
  checkHasResults(job);
  const format = Object.hasOwn(FORMATS, id) ? FORMATS[id] : undefined;
  if (isMany(job) && id === AGGREGATE) return aggregatedText(jobs, job);
  if (isMany(job) || format === undefined) {
    throw new IonqResultNotFoundError(
      `The job has no artifact ${JSON.stringify(id.slice(0, 100))}.`,
    );
  }
  if (format.needsCounts && !job.facts.hasCounts) {
    throw new IonqResultNotFoundError(
      'The job has no counts, because no shots were asked for. Its probabilities are exact.',
    );
  }
  return oneText(jobs, job, format.write);
}

/** A result of a job by name. The probabilities of several circuits are those of `aggregatedText`. */
export function resultText(jobs: Pick<Jobs, 'parts'>, job: IonqJob, name: ResultByUrl): ResultText {
  if (isMany(job) && name === 'probabilities') return aggregatedText(jobs, job);
  return artifactText(jobs, job, BY_URL[name]);
}

async function* oneText(jobs: Pick<Jobs, 'parts'>, job: IonqJob, write: Writer): ResultText {
  const { circuit = 0 } = job;
  for await (const outcomes of outcomesOf(jobs, job, circuit, circuit + 1)) {
    yield JSON.stringify(write(outcomes, job));
  }
}

/** Probabilities of all circuits of a job, by the ids of its children in the order in which they were sent. */
export async function* aggregatedText(jobs: Pick<Jobs, 'parts'>, job: IonqJob): ResultText {
  checkHasResults(job);
  const { facts, circuit } = job;
  const [from, to] = circuit === undefined ? [0, facts.bits.length] : [circuit, circuit + 1];
  let before = '{';
  for await (const outcomes of outcomesOf(jobs, job, from, to)) {
    const id = childId(job.job.id, outcomes.circuit);
    yield `${before}"${id}":${JSON.stringify(byDecimal(outcomes.probabilities))}`;
    before = ',';
  }
  yield '}';
}

/** Id of one circuit of a job. */
export function childId(id: string, circuit: number): string {
  return `${id}-${circuit}`;
}

function checkHasResults({ job, facts }: IonqJob): void {
  if (facts.dryRun) {
    throw new IonqResultNotFoundError('The job was a dry run: it was checked, but not run.');
  }
  if (job.status === 'completed') return;
  throw new IonqResultNotFoundError(`The job is ${job.status}; only a completed one has results.`);
}

/** Outcomes of the circuits `from` to `to` − 1, in order. */
async function* outcomesOf(
  jobs: Pick<Jobs, 'parts'>,
  { job, facts }: IonqJob,
  from: number,
  to: number,
): AsyncGenerator<CircuitOutcomes, void, undefined> {
  const { id, keyId } = job;
  // Before the first part of the first circuit.
  let after: JobPartPlace = { series: seriesOf(from, 'counts'), from: -1, to: 0 };
  let page: readonly JobPart[] = [];
  let at = 0;
  const next = async (): Promise<JobPart | undefined> => {
    if (at === page.length) {
      page = await jobs.parts(id, after);
      at = 0;
    }
    const part = page[at++];
    if (part !== undefined) after = part;
    return part;
  };
  for (let circuit = from; circuit < to; circuit++) {
    const series = (name: 'counts' | 'probabilities') => seriesOf(circuit, name);
    const missing = new Set([
      ...(facts.hasCounts ? [series('counts')] : []),
      ...(facts.isExact ? [series('probabilities')] : []),
    ]);
    const own = new Map<number, JobPart>();
    while (missing.size > 0) {
      const part = await next();
      if (part === undefined || programOfSeries(part.series) > circuit) {
        throw new JobDamagedError('a part of its result is missing', { id, keyId });
      }
      // A text may ask for further results, which this interface has no name for.
      if (missing.delete(part.series)) own.set(part.series, part);
    }
    const counts = own.get(series('counts'));
    const exact = own.get(series('probabilities'));
    const counted = counts && countsIn(counts, facts.bits[circuit] ?? 0);
    yield {
      circuit,
      counts: counted,
      probabilities: exact === undefined ? shares(counted ?? []) : probabilitiesIn(exact),
    };
  }
}

function countsIn({ bytes }: JobPart, numBits: number): Outcomes {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  // The cast is safe: the part was written by `countsBytes`, with one point.
  const counts = parseStored(text, 'a part of its result') as Readonly<Record<string, number>>;
  return Object.entries(counts).map(([label, count]) => [bitsOfLabel(label, numBits), count]);
}

function probabilitiesIn({ bytes }: JobPart): Outcomes {
  // A copy, for numbers must be aligned.
  const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
  const numBits = Math.round(Math.log2(numbers.length));
  const found: [string, number][] = [];
  for (const [outcome, probability] of numbers.entries()) {
    if (probability >= LEAST_PROBABILITY) found.push([basisLabel(outcome, numBits), probability]);
  }
  return found;
}

function shares(counts: Outcomes): Outcomes {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.map(([label, count]) => [label, count / total]);
}

/** Bits up to which a number holds a label exactly. */
const EXACT_BITS = 53;

function decimalOf(label: string): string {
  if (label.length > EXACT_BITS) return BigInt(`0b${label}`).toString();
  return label === '' ? '0' : Number.parseInt(label, 2).toString();
}

function byDecimal(outcomes: Outcomes): object {
  return Object.fromEntries(outcomes.map(([label, weight]) => [decimalOf(label), weight]));
}

/** Registers of a circuit; one without any has all its bits in `output_all`. */
function registersOf({ facts }: IonqJob, circuit: number): IonqFacts['registers'] {
  if (facts.registers.length > 0) return facts.registers;
  const all = Array.from({ length: facts.bits[circuit] ?? 0 }, (_, bit) => bit);
  return [['output_all', all]];
}

function byRegister(outcomes: Outcomes, circuit: number, job: IonqJob): object {
  return Object.fromEntries(
    registersOf(job, circuit).map(([name, bits]) => {
      const sums: Record<string, number> = {};
      for (const [label, weight] of outcomes) {
        const own = bits
          .map((bit) => label.at(-1 - bit) ?? '0')
          .toReversed()
          .join('');
        sums[own] = (sums[own] ?? 0) + weight;
      }
      return [name, sums];
    }),
  );
}

/** One label for each shot, in an order that is drawn with the job's seed. */
function inRandomOrder({ circuit, counts = [] }: CircuitOutcomes, { job }: IonqJob): string[] {
  const seed = addToSeed(batchFactsOf(job.request).seed, circuit);
  const order = drawnShotOrder(
    counts.map(([, count]) => count),
    seed,
  );
  return Array.from(order, (i) => counts[i]![0]);
}
