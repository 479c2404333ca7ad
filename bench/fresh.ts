/**
 * Circuits that come for the first time, from the bytes of a request to counts: ten families, new angles in
 * every circuit where a family has angles, everything warm.
 *
 * In this process the stages are timed one by one, on an engine of single precision with as many threads as
 * the service would use: one up to 17 qubits. Over HTTP, where the client sends one request at a time, the
 * whole is timed, beside the times that the answer states; a second series sends circuits whose shape is new
 * as well. Beside them are Qiskit Aer's whole call (AER_PYTHON names a Python that has it; see
 * bench/peers/aer.ts) and the evolution alone in qsim (QSIM_BASE; see bench/peers/qsim.ts). All take turns,
 * A B A B.
 *
 * Answers are verified before anything is timed: the state of every family at 8 qubits against the reference
 * engine, those of the peers too, and the counts of the service at every width against the engine's here.
 *
 * QCS_BENCH_FAMILIES, QCS_BENCH_QUBITS and QCS_BENCH_PARTS (stages, http, aer, qsim) restrict the run. Its
 * results are then stored only where QCS_BENCH_RESULTS names a folder.
 */
import { availableParallelism } from 'node:os';
import { type Circuit, withFinalMeasurement } from '../src/circuit/circuit.ts';
import { parseOpenQasm } from '../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../src/circuit/openqasm/print-openqasm.ts';
import { HttpConnections, httpRequest } from '../src/cli/capacity/http-load.ts';
import { compile } from '../src/compiler/compile.ts';
import { angleKinds } from '../src/compiler/parametric.ts';
import type { Program, TargetProfile } from '../src/compiler/program.ts';
import { anglesOf, compileShape } from '../src/compiler/shape.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunResult } from '../src/engine/engine.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { MAX_SMALL_QUBITS } from '../src/fleet/schedule/lane.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../test/support/service-process.ts';
import { drawsOf, FRESH_FAMILIES, type FreshFamily, relabelled } from './fresh-circuits.ts';
import { median, store } from './harness.ts';
import { type AerPeer, aerPeer } from './peers/aer.ts';
import { phaseFreeError, type QsimPeer, qsimPeer, windowOfLargest } from './peers/qsim.ts';

const NEVER = new AbortController().signal;
const LIMITS = { maxQubits: 30, maxGates: 1_000_000 };
const SHOTS = 1000;
const WIDTHS = [8, 12, 16, 20, 24] as const;
const VERIFIED_QUBITS = 8;
const PARTS = ['stages', 'http', 'aer', 'qsim'] as const;
type Part = (typeof PARTS)[number];

/** Rounds in which all parts take turns. */
const ROUNDS = 4;
/** A part's turn lasts this long, or for one circuit if that takes longer. */
const TURN_MS = 120;
/** A part's turn before the first round, in which its code is compiled. */
const WARM_UP_MS = 300;
/** Once a part has spent this long on a circuit, it has no further turns; its warm-up counts then. */
const ENOUGH_MS = 3000;
/** qsim uses all cores at every width. It is a process per circuit, so it has one run in a turn. */
const QSIM = { threads: availableParallelism(), maxFusedQubits: 3, flushToZero: true };

/** Milliseconds of the stages of one circuit in this process. */
interface Stages {
  readonly totalMs: number;
  readonly readMs: number;
  /** As the first circuit of its shape, if it has one. */
  readonly compileMs: number;
  /** Lowering to the engine's form. */
  readonly prepareMs: number;
  readonly evolutionMs: number;
  readonly samplingMs: number;
  readonly restMs: number;
  /** Not in the total: compiling and preparing a circuit of the same shape; absent if it has none. */
  readonly knownShapeMs?: number;
}

/** Milliseconds of one circuit over HTTP: request to answer, and what the answer states. */
interface HttpTimes {
  readonly totalMs: number;
  readonly queueMs: number;
  readonly compileMs: number;
  readonly executionMs: number;
}

/** Medians of one family at one width; a part that was left out has none. */
interface Row {
  readonly circuit: string;
  readonly numQubits: number;
  readonly gates: number;
  readonly textBytes: number;
  readonly numMeasured: number;
  readonly stages?: Stages;
  readonly http?: HttpTimes;
  /** Every shape is new, too. */
  readonly httpNewShape?: HttpTimes;
  readonly aerMs?: number;
  readonly aerReadMs?: number;
  /** The evolution alone. */
  readonly qsimMs?: number;
}

/** The service and the other simulators that run the circuits. */
interface Peers {
  readonly parts: ReadonlySet<Part>;
  readonly client: Client;
  readonly aer: AerPeer | undefined;
  readonly qsim: QsimPeer | undefined;
}

/** Prints and stores the table. */
export async function benchFresh(): Promise<void> {
  const { QSIM_BASE, AER_PYTHON, QCS_BENCH_RESULTS } = process.env;
  const families = chosen('QCS_BENCH_FAMILIES', Object.keys(FRESH_FAMILIES) as FreshFamily[]);
  const widths = chosen('QCS_BENCH_QUBITS', WIDTHS.map(String)).map(Number);
  const parts = new Set(chosen('QCS_BENCH_PARTS', PARTS));
  const hasAer = parts.has('aer') && AER_PYTHON !== undefined;
  const hasQsim = parts.has('qsim') && QSIM_BASE !== undefined;
  if (parts.has('aer') && !hasAer) print('Aer: AER_PYTHON names no Python; left out');
  if (parts.has('qsim') && !hasQsim) print('qsim: QSIM_BASE names no executable; left out');

  await using stack = new AsyncDisposableStack();
  const aer = hasAer ? stack.use(await aerPeer({ python: AER_PYTHON })) : undefined;
  const qsim = hasQsim ? qsimPeer({ executable: QSIM_BASE }) : undefined;
  for (const family of families) await verify(family, aer, qsim);

  const folder = stack.use(temporaryFolder());
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
    QCS_ENGINE: 'cpu',
  });
  stack.defer(async () => {
    await service.stop('SIGTERM');
  });
  const client = stack.use(new Client(service));
  print(HEADER);
  const rows: Row[] = [];
  for (const numQubits of widths) {
    for (const family of families) {
      const row = await measure(family, numQubits, { parts, client, aer, qsim });
      print(lineOf(row));
      rows.push(row);
    }
  }
  const isWhole =
    families.length === Object.keys(FRESH_FAMILIES).length &&
    widths.length === WIDTHS.length &&
    parts.size === PARTS.length;
  if (isWhole || QCS_BENCH_RESULTS !== undefined) {
    store('fresh', rows, aer === undefined ? {} : { aer: aer.name });
  }
}

/** The names that a variable lists, in the order in which they are known; all without it. */
function chosen<T extends string>(variable: string, known: readonly T[]): readonly T[] {
  const names = process.env[variable]?.split(',') ?? known;
  for (const name of names) {
    if (!known.includes(name as T)) {
      throw new Error(`${variable} has no ${name}; there are ${known.join(', ')}`);
    }
  }
  return known.filter((name) => names.includes(name));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The text of a circuit with its measurements. */
function textOf(circuit: Circuit): string {
  return printOpenQasm(withFinalMeasurement(circuit), '2');
}

/** An engine of single precision with the threads that the service would use for a width. */
function engineFor(numQubits: number): Engine {
  const numThreads = numQubits > MAX_SMALL_QUBITS ? availableParallelism() : 1;
  return openCpuEngine({ precision: 'f32', numThreads, maxQubits: 26 });
}

/** Compares states with the reference engine's, which is given the circuit without passes. */
async function verify(
  family: FreshFamily,
  aer: AerPeer | undefined,
  qsim: QsimPeer | undefined,
): Promise<void> {
  const circuit = FRESH_FAMILIES[family](VERIFIED_QUBITS, drawsOf(40));
  const reference = openReferenceEngine({ maxQubits: VERIFIED_QUBITS });
  const plain = compile(circuit, reference.target, { optimize: false });
  const expected = await stateOf(reference, plain.program);
  const check = (who: string, wanted: Float64Array, found: Float64Array, tolerance: number) => {
    const error = phaseFreeError(wanted, found);
    if (!(error < tolerance)) throw new Error(`${family}: the state of ${who} is off by ${error}`);
  };
  const read = parseOpenQasm(printOpenQasm(circuit, '2'), LIMITS);
  const engine = engineFor(VERIFIED_QUBITS);
  const { program } = compiledFor(engine.target, read, { keepState: true });
  check('the engine', expected, await stateOf(engine, program), 1e-4);
  if (aer !== undefined) check('Aer', expected, await aer.state(textOf(circuit)), 1e-9);
  if (qsim !== undefined) {
    const first = windowOfLargest(expected);
    const found = await qsim.amplitudesFrom(circuit, QSIM, first);
    check('qsim', expected.slice(2 * first, 2 * first + found.length), found, 1e-4);
  }
}

async function stateOf(engine: Engine, program: Program): Promise<Float64Array> {
  await using executable = await engine.prepare.statevector(program);
  const { statevector } = await executable.run({ shots: 0, seed: 1, statevector: true }, NEVER);
  if (statevector === undefined) throw new Error('no state vector');
  return statevector;
}

/** One way of running circuits: makes a circuit, then returns the milliseconds that it took. */
interface Measured<T> {
  readonly times: T[];
  /** Milliseconds of all its turns, with the making of the circuits. */
  spentMs: number;
  /** Runs one circuit. */
  readonly once: () => Promise<T>;
}

/** Medians of a family at a width, of all parts. */
async function measure(
  family: FreshFamily,
  numQubits: number,
  { parts, client, aer, qsim }: Peers,
): Promise<Row> {
  const draw = drawsOf(41 + numQubits);
  const next = () => FRESH_FAMILIES[family](numQubits, draw);
  const nextShape = () => relabelled(next(), draw);
  const engine = engineFor(numQubits);
  try {
    const first = next();
    const text = textOf(first);
    await verifyService(engine, client, text);
    const stages = measured(() => stagesOf(engine, textOf(next())));
    const http = measured(() => client.run(textOf(next())));
    const httpNewShape = measured(() => client.run(textOf(nextShape())));
    const aerRuns = measured(async () => await aer!.run(textOf(next()), SHOTS));
    const qsimRuns = measured(async () => ({ ms: 1000 * (await qsim!.run(next(), QSIM)).seconds }));
    const turns: readonly Measured<object>[] = [
      ...(parts.has('stages') ? [stages] : []),
      ...(parts.has('http') ? [http, httpNewShape] : []),
      ...(aer === undefined ? [] : [aerRuns]),
      ...(qsim === undefined ? [] : [qsimRuns]),
    ];
    for (const turn of turns) await take(turn, WARM_UP_MS);
    for (const turn of turns) if (turn.spentMs < ENOUGH_MS) turn.times.length = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const turn of turns) if (turn.spentMs < ENOUGH_MS) await take(turn, TURN_MS);
    }
    return {
      circuit: family,
      numQubits,
      gates: first.operations.length,
      textBytes: text.length,
      numMeasured: Math.max(...turns.map(({ times }) => times.length)),
      ...(stages.times.length > 0 && { stages: medians(stages.times) }),
      ...(http.times.length > 0 && { http: medians(http.times) }),
      ...(httpNewShape.times.length > 0 && { httpNewShape: medians(httpNewShape.times) }),
      ...(aerRuns.times.length > 0 && {
        aerMs: median(aerRuns.times.map(({ ms }) => ms)),
        aerReadMs: median(aerRuns.times.map(({ readMs }) => readMs)),
      }),
      ...(qsimRuns.times.length > 0 && { qsimMs: median(qsimRuns.times.map(({ ms }) => ms)) }),
    };
  } finally {
    await engine.close();
  }
}

function measured<T>(once: () => Promise<T>): Measured<T> {
  return { times: [], spentMs: 0, once };
}

/** Runs circuits until the time is up, at least one. */
async function take(measured: Measured<object>, ms: number): Promise<void> {
  const startedAt = performance.now();
  do measured.times.push(await measured.once());
  while (performance.now() - startedAt < ms);
  measured.spentMs += performance.now() - startedAt;
}

/** The median of each figure. */
function medians<T extends Stages | HttpTimes>(times: readonly T[]): T {
  const figures = Object.keys(times[0]!) as (keyof T)[];
  // Checked: each figure of T is a number.
  return Object.fromEntries(
    figures.map((figure) => [
      figure,
      median(times.flatMap((each) => (each[figure] as number | undefined) ?? [])),
    ]),
  ) as unknown as T;
}

/** A circuit compiled as the service does: as a shape where it has parameters. */
function compiledFor(target: TargetProfile, circuit: Circuit, options = { keepState: false }) {
  const { slots, values } = angleKinds(anglesOf(circuit));
  if (values.length > 0) {
    const shape = compileShape(circuit, { slots }, target, options);
    const program = shape.bind(values);
    if (program !== undefined) return { program, again: () => shape.bind(values) };
  }
  return compile(circuit, target, options);
}

/** Runs a text in this process, and times the stages. */
async function stagesOf(engine: Engine, text: string): Promise<Stages> {
  const startedAt = performance.now();
  const circuit = parseOpenQasm(text, LIMITS);
  const readAt = performance.now();
  const compiled = compiledFor(engine.target, circuit);
  const compiledAt = performance.now();
  const executable = await engine.prepare.statevector(compiled.program);
  const preparedAt = performance.now();
  const run = await executable.run({ shots: SHOTS, seed: 1 }, NEVER);
  const totalMs = performance.now() - startedAt;
  await executable[Symbol.asyncDispose]();
  checkShots(run);
  const { evolutionMs, samplingMs } = run.timing;
  const readMs = readAt - startedAt;
  const compileMs = compiledAt - readAt;
  const prepareMs = preparedAt - compiledAt;
  return {
    totalMs,
    readMs,
    compileMs,
    prepareMs,
    evolutionMs,
    samplingMs,
    restMs: totalMs - readMs - compileMs - prepareMs - evolutionMs - samplingMs,
    ...('again' in compiled && { knownShapeMs: await timeAgain(engine, compiled.again) }),
  };
}

/** Milliseconds that a circuit of a known shape takes until it can run. */
async function timeAgain(engine: Engine, again: () => Program | undefined): Promise<number> {
  const startedAt = performance.now();
  const program = again();
  if (program === undefined) throw new Error('unreachable: the same angles fit a second time');
  const executable = await engine.prepare.statevector(program);
  const ms = performance.now() - startedAt;
  await executable[Symbol.asyncDispose]();
  return ms;
}

function checkShots({ counts }: RunResult): void {
  const total = counts.occurrences.reduce((sum, each) => sum + each, 0);
  if (total !== SHOTS) throw new Error(`${total} shots`);
}

/** Counts by bit string. */
type LabelledCounts = Readonly<Record<string, number>>;

/** The fields of an answer that are read here. */
interface CircuitAnswer {
  readonly counts: LabelledCounts;
  readonly timing: { queue_ms: number; compile_ms: number; execution_ms: number };
}

/** One connection to the service, with one request at a time. */
class Client implements Disposable {
  readonly #url: URL;
  readonly #key: string;
  readonly #connection = new HttpConnections(1);

  constructor({ origin, key = '' }: ServiceProcess) {
    this.#url = new URL('/api/v1/quantum/circuits', origin);
    this.#key = key;
  }

  async run(text: string): Promise<HttpTimes> {
    const { totalMs, answer } = await this.send(text);
    const { queue_ms, compile_ms, execution_ms } = answer.timing;
    return { totalMs, queueMs: queue_ms, compileMs: compile_ms, executionMs: execution_ms };
  }

  /** Sends a text to `gpu-fleet` on the CPU: double precision up to 12 qubits, single precision above. */
  async send(qasm: string): Promise<{ readonly totalMs: number; readonly answer: CircuitAnswer }> {
    const body = JSON.stringify({ qasm, target_processor: 'gpu-fleet', shots: SHOTS, seed: 1 });
    const request = httpRequest('POST', this.#url, { 'x-api-key': this.#key }, body);
    const sentAt = performance.now();
    const { status, body: text } = await this.#connection.send(request);
    const totalMs = performance.now() - sentAt;
    if (status !== 201) throw new Error(`${status}: ${text.slice(0, 500)}`);
    const { data } = JSON.parse(text) as { readonly data: CircuitAnswer };
    const total = Object.values(data.counts).reduce((sum, each) => sum + each, 0);
    if (total !== SHOTS) throw new Error(`${total} shots`);
    return { totalMs, answer: data };
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}

/** Shots that roundings in single precision may move to another outcome. */
const MAX_MOVED_SHOTS = 3;

/** Compares the counts of the service with those of the engine here, for one seed. */
async function verifyService(engine: Engine, client: Client, text: string): Promise<void> {
  const circuit = parseOpenQasm(text, LIMITS);
  const { program } = compiledFor(engine.target, circuit);
  await using executable = await engine.prepare.statevector(program);
  const { counts } = await executable.run({ shots: SHOTS, seed: 1 }, NEVER);
  const { answer } = await client.send(text);
  let moved = 0;
  for (const [i, outcome] of counts.outcomes.entries()) {
    const label = outcome.toString(2).padStart(counts.numBits, '0');
    moved += Math.abs((counts.occurrences[i] ?? 0) - (answer.counts[label] ?? 0));
  }
  if (moved > 2 * MAX_MOVED_SHOTS) {
    throw new Error(`${circuit.numQubits} qubits: the service counted ${moved} shots elsewhere`);
  }
}

const HEADER =
  'circuit          n gates |  total    read compile prepare evolve  sample    rest known shape |   http compile  execute  | new shape compile |     Aer |    qsim';

function lineOf({ circuit, numQubits, gates, stages, http, httpNewShape, aerMs, qsimMs }: Row) {
  const ms = (value: number | undefined, width = 7) =>
    (value === undefined ? '–' : value.toFixed(value < 10 ? 3 : 1)).padStart(width);
  return [
    `${circuit.padEnd(15)} ${numQubits}`.padEnd(18) + `${gates}`.padStart(6),
    [
      stages?.totalMs,
      stages?.readMs,
      stages?.compileMs,
      stages?.prepareMs,
      stages?.evolutionMs,
      stages?.samplingMs,
      stages?.restMs,
      stages?.knownShapeMs,
    ]
      .map((each) => ms(each))
      .join(' '),
    [http?.totalMs, http?.compileMs, http?.executionMs].map((each) => ms(each)).join(' '),
    [httpNewShape?.totalMs, httpNewShape?.compileMs].map((each) => ms(each, 8)).join(' '),
    ms(aerMs),
    ms(qsimMs),
  ].join(' | ');
}
