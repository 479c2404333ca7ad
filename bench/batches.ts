/**
 * Batches over HTTP: parameter sweeps, gradients and a molecule, with client and service on one machine, a process
 * each. Beside each rate stands what the same points cost as single requests.
 *
 * Values of some points are first checked against the reference engine, or against central differences.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { withAngles } from '../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../src/circuit/gate-objects.ts';
import { parseObservables } from '../src/circuit/observable.ts';
import { compile } from '../src/compiler/compile.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { waterHamiltonian } from '../test/support/water.ts';
import { type Measurement, median, report } from './harness.ts';

const ROUNDS = 7;
const WARM_UP_ROUNDS = 4;
const NUM_CHECKED = 3;
const NUM_SINGLES = 40;
const TOLERANCE = 1e-11;
const SLOPE_TOLERANCE = 1e-6;
const STEP = 1e-4;

type Gate = Readonly<Record<string, unknown>> & { readonly gate: string };
type Term = { readonly pauli: string; readonly coefficient?: number };

/** A sweep: gates that name inputs, as many as it has angles unless given. */
interface Sweep {
  readonly name: string;
  readonly numQubits: number;
  readonly circuit: readonly Gate[];
  readonly inputs: readonly string[];
  readonly observables: readonly (Term | readonly Term[])[];
  readonly points: number;
  readonly asksGradient?: true;
  readonly goal?: number;
}

/** Layers of RY and RZ with a ladder of CX between them, cut off after so many gates; each angle has an input. */
function layered(numQubits: number, numGates: number): Pick<Sweep, 'circuit' | 'inputs'> {
  const circuit: Gate[] = [];
  const inputs: string[] = [];
  const rotate = (gate: string) => {
    for (let qubit = 0; qubit < numQubits; qubit++) {
      const input = `a${inputs.length}`;
      inputs.push(input);
      circuit.push({ gate, qubit, theta: { input } });
    }
  };
  while (circuit.length < numGates) {
    rotate('RY');
    rotate('RZ');
    for (let q = 0; q + 1 < numQubits; q++) circuit.push({ gate: 'CX', control: q, target: q + 1 });
  }
  const kept = circuit.slice(0, numGates);
  const used = new Set(kept.flatMap(({ theta }) => Object(theta).input ?? []));
  return { circuit: kept, inputs: inputs.filter((name) => used.has(name)) };
}

/** The circuit with few inputs: each stands for several angles. */
function withFewInputs({ circuit }: Pick<Sweep, 'circuit'>, count: number) {
  let next = 0;
  return {
    circuit: circuit.map((gate) => {
      if (gate['theta'] === undefined) return gate;
      const theta = { input: `a${next % count}`, scale: 1 + next / 10, offset: next / 100 };
      next++;
      return { ...gate, theta };
    }),
    inputs: Array.from({ length: count }, (_, i) => `a${i}`),
  };
}

const water = waterHamiltonian().map(({ coefficient, factors }) => ({
  pauli: factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ') || 'I',
  coefficient,
}));
const PAIR = [[{ pauli: 'Z0 Z1' }, { pauli: 'X2 X3', coefficient: 0.5 }]];

const SWEEPS: readonly Sweep[] = [
  {
    name: '4 qubits, 40 gates, 4 inputs, Z of each qubit',
    numQubits: 4,
    ...withFewInputs(layered(4, 40), 4),
    observables: [0, 1, 2, 3].map((q) => ({ pauli: `Z${q}` })),
    points: 400_000,
    goal: 400_000,
  },
  {
    name: '4 qubits, 40 gates, an input for each angle, Z of each qubit',
    numQubits: 4,
    ...layered(4, 40),
    observables: [0, 1, 2, 3].map((q) => ({ pauli: `Z${q}` })),
    points: 100_000,
  },
  {
    name: '10 qubits, 200 gates, one observable',
    numQubits: 10,
    ...layered(10, 200),
    observables: PAIR,
    points: 16_000,
    goal: 8000,
  },
  {
    name: 'EfficientSU2 on 16 qubits, 4 repetitions, one observable',
    numQubits: 16,
    ...layered(16, 16 * 2 * 5 + 15 * 4),
    observables: PAIR,
    points: 2000,
    goal: 1000,
  },
  {
    name: 'H₂O, 14 qubits, 1,086 Pauli terms',
    numQubits: 14,
    ...layered(14, 14 * 4 + 13),
    observables: [water],
    points: 200,
    goal: 100,
  },
  {
    name: 'gradient on 10 qubits, 140 inputs',
    numQubits: 10,
    ...layered(10, 200),
    observables: PAIR,
    points: 200,
    asksGradient: true,
  },
  {
    name: 'gradient on 16 qubits, 160 inputs (EfficientSU2)',
    numQubits: 16,
    ...layered(16, 16 * 2 * 5 + 15 * 4),
    observables: PAIR,
    points: 50,
    asksGradient: true,
  },
];

const packed = z.object({ shape: z.array(z.number()), data: z.string() });
const answer = z.object({
  data: z.object({
    programs: z.tuple([z.object({ expectation: packed.optional(), gradient: packed.optional() })]),
  }),
});

/** The values of one input at all points, radians. */
function column(input: number, points: number, seed: number): Float64Array {
  return Float64Array.from({ length: points }, (_, k) => 6 * uniformDraw(seed, k, input, 0) - 3);
}

class Client {
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  async post(path: string, body: string): Promise<unknown> {
    const response = await fetch(`${this.#origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      body,
    });
    if (response.status !== 201) throw new Error((await response.text()).slice(0, 500));
    return response.json();
  }

  /** Sends a sweep; gives its numbers, and the milliseconds from the body's text to the numbers. */
  async run(sweep: Sweep, columns: readonly Float64Array[]) {
    const body = JSON.stringify({
      target_processor: 'statevector-sim',
      array_format: 'base64',
      programs: [
        {
          circuit: sweep.circuit,
          observables: sweep.observables,
          inputs: Object.fromEntries(
            sweep.inputs.map((name, i) => [
              name,
              {
                dtype: '<f8',
                shape: [columns[i]!.length],
                data: Buffer.from(columns[i]!.buffer).toString('base64'),
              },
            ]),
          ),
          return: [sweep.asksGradient ? 'gradient' : 'expectation'],
        },
      ],
    });
    const startedAt = performance.now();
    const [program] = answer.parse(await this.post('/quantum/batches', body)).data.programs;
    const { data = '' } = program.expectation ?? program.gradient ?? {};
    const numbers = new Float64Array(Uint8Array.from(Buffer.from(data, 'base64')).buffer);
    return { ms: performance.now() - startedAt, numbers };
  }
}

/** Exact values of the observables at one point, by the reference engine. */
async function referenceValues(sweep: Sweep, at: readonly number[]): Promise<readonly number[]> {
  const numeric = sweep.circuit.map((gate) => gateAt(gate, sweep, at));
  const limits = { maxQubits: 20, maxGates: 10_000 };
  // Checked: the service takes the same objects.
  const circuit = circuitFromGateObjects(numeric as never, { limits });
  const engine = openReferenceEngine({ maxQubits: sweep.numQubits });
  const { program } = compile(withAngles(circuit, anglesOf(circuit)), engine.target);
  await using executable = await engine.prepare.statevector(program);
  const observables = parseObservables(sweep.observables, sweep.numQubits, 'observables');
  const { signal } = new AbortController();
  const { expectations = [] } = await executable.run({ shots: 0, seed: 0, observables }, signal);
  return expectations;
}

function anglesOf(circuit: { readonly operations: readonly object[] }): readonly number[] {
  return circuit.operations.flatMap((operation) => Object(operation).angles ?? []);
}

function gateAt(gate: Gate, { inputs }: Sweep, at: readonly number[]): Gate {
  if (gate['theta'] === undefined) return gate;
  const { input, scale = 1, offset = 0 } = Object(gate['theta']);
  return { ...gate, theta: scale * at[inputs.indexOf(input)]! + offset };
}

/** Checks the answer at some points. */
async function verify(client: Client, sweep: Sweep): Promise<void> {
  const columns = sweep.inputs.map((_, i) => column(i, NUM_CHECKED, 1));
  const { numbers } = await client.run(sweep, columns);
  const perPoint = numbers.length / NUM_CHECKED;
  for (let k = 0; k < NUM_CHECKED; k++) {
    const at = columns.map((values) => values[k]!);
    const found = numbers.subarray(k * perPoint, (k + 1) * perPoint);
    const wanted = sweep.asksGradient ? await slopes(sweep, at) : await referenceValues(sweep, at);
    const tolerance = sweep.asksGradient ? SLOPE_TOLERANCE : TOLERANCE;
    for (const [i, value] of wanted.entries()) {
      if (Math.abs(found[i]! - value) < tolerance * (1 + Math.abs(value))) continue;
      throw new Error(`${sweep.name}: ${found[i]} where ${value} is right.`);
    }
  }
}

/** Central differences by the first inputs. */
async function slopes(sweep: Sweep, at: readonly number[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (let i = 0; i < 2; i++) {
    const moved = (by: number) => at.with(i, at[i]! + by);
    const [above = 0] = await referenceValues(sweep, moved(STEP));
    const [below = 0] = await referenceValues(sweep, moved(-STEP));
    found.push((above - below) / (2 * STEP));
  }
  return found;
}

/** Requests a second when each point is a circuit of its own, one after the other. */
async function singlesPerSecond(client: Client, sweep: Sweep): Promise<number> {
  const columns = sweep.inputs.map((_, i) => column(i, NUM_SINGLES, 2));
  const bodies = Array.from({ length: NUM_SINGLES }, (_, k) =>
    JSON.stringify({
      target_processor: 'statevector-sim',
      shots: 1,
      return: ['expectation'],
      circuit: sweep.circuit.map((gate) =>
        gateAt(
          gate,
          sweep,
          columns.map((of) => of[k]!),
        ),
      ),
      observables: sweep.observables,
    }),
  );
  const startedAt = performance.now();
  for (const body of bodies) await client.post('/quantum/circuits', body);
  return (1000 * NUM_SINGLES) / (performance.now() - startedAt);
}

/** Prints and stores points a second. */
export async function benchBatches(): Promise<void> {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
  });
  const rates = new Map<Sweep, { readonly batch: number[]; readonly singles: number[] }>();
  try {
    const client = new Client(service.origin, service.key ?? '');
    for (const sweep of SWEEPS) {
      await verify(client, sweep);
      rates.set(sweep, { batch: [], singles: [] });
    }
    const columnsOf = new Map(
      SWEEPS.map((sweep) => [sweep, sweep.inputs.map((_, i) => column(i, sweep.points, 3))]),
    );
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const sweep of SWEEPS) {
        const { ms } = await client.run(sweep, columnsOf.get(sweep)!);
        const singles = sweep.asksGradient ? undefined : await singlesPerSecond(client, sweep);
        if (round < 0) continue;
        rates.get(sweep)!.batch.push((1000 * sweep.points) / ms);
        if (singles !== undefined) rates.get(sweep)!.singles.push(singles);
      }
    }
    // The same points give the same numbers, whatever ran before.
    const [first] = SWEEPS;
    const once = await client.run(first!, columnsOf.get(first!)!);
    const again = await client.run(first!, columnsOf.get(first!)!);
    if (!isDeepStrictEqual(once.numbers, again.numbers)) throw new Error('The numbers changed.');
  } finally {
    await service.stop('SIGTERM');
  }
  report('batches', [...rates].flatMap(summary));
}

function summary([{ name, goal }, { batch, singles }]: [
  Sweep,
  { readonly batch: readonly number[]; readonly singles: readonly number[] },
]): readonly Measurement[] {
  const of = (what: string, values: readonly number[]): Measurement => ({
    name: `${name}: ${what}`,
    value: median(values),
    unit: 'points a second',
    spread: [Math.min(...values), Math.max(...values)],
  });
  const rows = [{ ...of('batch', batch), ...(goal !== undefined && { goal }) }];
  return singles.length === 0
    ? rows
    : [...rows, of('single requests, one after the other', singles)];
}
