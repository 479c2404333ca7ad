/** Submissions of a mixed load: circuits of several sizes, batches, and everything that the service publishes. */
import { z } from 'zod';
import { TPU_POOLS } from '../../../src/workloads/tpu/tpu-zones.ts';
import { lastingCircuit } from '../lasting-circuit.ts';
import type { RandomStream } from '../random-stream.ts';
import type { JobRecord, PublishedWork } from '../service-client.ts';

/** One submission. */
export interface Work {
  /** As in `circuit, waiting`, `research.vqe`, `tpu.training`, `asi.plan`. */
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Fault of the record once the job is completed; undefined if it has none. */
  readonly faultOf: (record: JobRecord) => string | undefined;
}

/** Gives work. */
export type WorkDeck = (random: RandomStream) => Work;

const PROCESSORS = ['statevector-sim', 'gpu-fleet'] as const;
const PRIORITIES = ['low', 'normal', 'high'] as const;
const CIRCUIT_PART = 0.3;
const TPU_PART = 0.25;
const LONGER_PART = 0.25;

/** Inputs that take longer than the published examples, so that progress is seen and cancels hit work. */
const LONGER: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map([
  ['research.vqe', { problem: 'tfim', sites: 7 }],
  ['tpu.training', { steps: 150 }],
  [
    'research.parameter_sweep',
    {
      circuit: [
        { gate: 'RY', qubit: 0, theta: 'theta' },
        ...Array.from({ length: 8 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
      ],
      parameters: { theta: { from: 0, to: Math.PI, points: 500 } },
      observables: [{ pauli: 'Z0 Z8' }],
    },
  ],
]);

/** Its first jobs are one of every kind, TPU jobs in every zone; then it is chance. */
export function createWorkDeck(published: readonly PublishedWork[], seed: RandomStream): WorkDeck {
  const known = new Set(published.map(({ name }) => name));
  const tasks = published
    .filter(({ name }) => !name.startsWith('tpu.'))
    .filter((work) => work.name !== 'asi.plan' || tasksOf(work).every((name) => known.has(name)));
  const tpu = published.filter(({ name }) => name.startsWith('tpu.'));
  const first = seed.shuffled([
    ...CIRCUITS.map((make) => make(seed)),
    ...tasks.map((work) => taskOf(work, seed)),
    ...tpu.flatMap((work) => TPU_POOLS.map((pool) => tpuJobOf(work, pool, seed))),
    chainOf(seed),
  ]);
  let numDealt = 0;
  return (random) => {
    const dealt = first[numDealt++];
    if (dealt !== undefined) return dealt;
    const choice = random.uniform();
    if (choice < CIRCUIT_PART) return random.pick(CIRCUITS)(random);
    if (choice < CIRCUIT_PART + TPU_PART) {
      return tpuJobOf(random.pick(tpu), random.pick(TPU_POOLS), random);
    }
    if (random.below(tasks.length + 2) < 2) return chainOf(random);
    return taskOf(random.pick(tasks), random);
  };
}

const CIRCUITS: readonly ((random: RandomStream) => Work)[] = [
  (random) => circuitOf('circuit, waiting', lastingCircuit(2 + random.below(7), 2), {}, random),
  (random) =>
    circuitOf(
      'circuit, async',
      lastingCircuit(10 + random.below(5), 10 + random.below(30)),
      { prefer: 'respond-async' },
      random,
    ),
  (random) => circuitOf('circuit, wait=1', lastingCircuit(16, 30), { prefer: 'wait=1' }, random),
  (random) => batchOf('batch, waiting', 1 + random.below(50), {}, random),
  (random) =>
    batchOf('batch, async', 500 + random.below(4000), { prefer: 'respond-async' }, random),
];

function circuitOf(
  name: string,
  circuit: readonly object[],
  headers: Work['headers'],
  random: RandomStream,
): Work {
  const shots = 1 + random.below(1000);
  const body = {
    circuit,
    target_processor: random.pick(PROCESSORS),
    shots,
    priority: random.pick(PRIORITIES),
  };
  const faultOf = ({ counts }: JobRecord) => {
    const counted = Object.values(counts ?? {}).reduce((sum, count) => sum + Number(count), 0);
    return counted === shots ? undefined : `counts ${counted} shots of ${shots}`;
  };
  return { name, path: '/quantum/circuits', body, headers, faultOf };
}

/** A batch of two programs: a sweep of expectation values on up to 14 qubits, and one of counts. */
function batchOf(
  name: string,
  numPoints: number,
  headers: Work['headers'],
  random: RandomStream,
): Work {
  const numQubits = 2 + random.below(13);
  const circuit = Array.from({ length: numQubits }, (_, qubit) => [
    { gate: 'RY', qubit, theta: { input: 'x', scale: 1 + qubit / 10 } },
    { gate: 'CX', control: qubit, target: (qubit + 1) % numQubits },
  ]).flat();
  const x = Array.from({ length: numPoints }, (_, i) => i / 100);
  const shots = 1 + random.below(50);
  const body = {
    target_processor: random.pick(PROCESSORS),
    priority: random.pick(PRIORITIES),
    programs: [
      { circuit, inputs: { x }, observables: [{ pauli: 'Z0' }, { pauli: 'Z1' }] },
      { circuit, inputs: { x: x.slice(0, 10) }, shots },
    ],
  };
  const faultOf = ({ programs }: JobRecord) => {
    const [values, counted] = batchPrograms.parse(programs);
    if (values?.expectation?.length !== numPoints) return 'lacks points';
    const totals = counted?.counts?.map((counts) =>
      Object.values(counts).reduce((sum, count) => sum + count, 0),
    );
    const wrong = totals?.find((total) => total !== shots);
    return wrong === undefined ? undefined : `counts ${wrong} shots of ${shots}`;
  };
  return { name, path: '/quantum/batches', body, headers, faultOf };
}

const batchPrograms = z.array(
  z.looseObject({
    expectation: z.array(z.tuple([z.number(), z.number()])).optional(),
    counts: z.array(z.record(z.string(), z.number())).optional(),
  }),
);

function taskOf({ name, path, example }: PublishedWork, random: RandomStream): Work {
  const longer = random.uniform() < LONGER_PART ? LONGER.get(name) : undefined;
  const body = {
    ...example,
    ...(longer && { input: longer }),
    priority: random.pick(PRIORITIES),
    ...(random.uniform() < 0.3 && { target_processor: random.pick(PROCESSORS) }),
  };
  return { name, path, body, headers: {}, faultOf: lackOf };
}

function tpuJobOf(
  { name, path, example }: PublishedWork,
  { zone, tpuType, chips }: (typeof TPU_POOLS)[number],
  random: RandomStream,
): Work {
  const longer = random.uniform() < LONGER_PART ? LONGER.get(name) : undefined;
  const body = {
    ...example,
    tpu_type: tpuType,
    zone,
    // Large slices more often than small ones, so that lines form.
    chips: random.pick([1, 4, chips / 2, chips, chips]),
    ...(longer && { input: longer }),
    priority: random.pick(PRIORITIES),
  };
  return { name, path, body, headers: {}, faultOf: lackOf };
}

/** A plan of three tasks, two of which work on the result of the first. */
function chainOf(random: RandomStream): Work {
  const evaluate = { agent: 'computation', task: 'evaluate' };
  const number = 1 + random.below(1000);
  const fed = { x: { $from: 'first', path: 'result' } };
  const body = {
    goal: 'A chain of sums',
    tasks: [
      { ...evaluate, name: 'first', input: { expression: `${number} * 2` } },
      { ...evaluate, name: 'second', input: { expression: 'x + 1', scope: fed } },
      { ...evaluate, name: 'third', input: { expression: 'x + 2', scope: fed } },
    ],
  };
  const faultOf = ({ result }: JobRecord) => {
    const sum = Object(result).output?.result;
    return sum === number * 2 + 2 ? undefined : `came to ${sum}, not ${number * 2 + 2}`;
  };
  return { name: 'chain', path: '/systems/asi/plans', body, headers: {}, faultOf };
}

/** Names the required fields that a completed record lacks. */
function lackOf(record: JobRecord): string | undefined {
  const lacking = ['result', 'seed', 'timing'].filter((field) => record[field] === undefined);
  return lacking.length === 0 ? undefined : `has no ${lacking.join(', no ')}`;
}

/** Names of what a plan asks for. */
function tasksOf({ example }: PublishedWork): readonly string[] {
  return z
    .array(z.looseObject({ agent: z.string(), task: z.string() }))
    .parse(example['tasks'])
    .map(({ agent, task }) => `${agent}.${task}`);
}
