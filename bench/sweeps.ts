/**
 * The sweeps that circuits take, next to a lower bound and to a greedy first-fit schedule
 * (both in sweep-bounds.ts), and what scheduling costs in time.
 *
 * Sweeps are counted on circuits as they are written here, without the passes that rewrite them: the
 * table is about the scheduler. Each program is first held to the promises that engines build on;
 * that it means its circuit is what the property tests show, at sizes that can be run.
 */
import type { Circuit } from '../src/circuit/circuit.ts';
import type { TargetProfile } from '../src/compiler/program.ts';
import { hashProgram } from '../src/compiler/program-hash.ts';
import { schedule } from '../src/compiler/schedule.ts';
import { workOf } from '../src/compiler/work-list.ts';
import { breaches } from '../test/support/program-promises.ts';
import { adder, ghz, qaoa, qaoaRegular, qft, randomGates, rqc } from './circuits.ts';
import { measureMs, median, store } from './harness.ts';
import { fewestSweeps, firstFitSweeps } from './sweep-bounds.ts';

const FAMILIES: readonly (readonly [string, (numQubits: number) => Circuit])[] = [
  ['qft', qft],
  ['ghz', ghz],
  ['qaoa p=1, 3-regular', qaoaRegular],
  ['adder', adder],
  ['rqc', rqc],
  ['qaoa p=4, ring and chords', qaoa],
];

/** [qubits, resident qubits, contiguous ones] of a GPU's tiles and of a CPU's. */
const TILES: readonly (readonly [number, number, number])[] = [
  [30, 12, 4],
  [30, 13, 3],
  [26, 12, 6],
  [26, 14, 6],
];

/** Target numbers of sweeps at 30 qubits with 12 resident qubits, 4 of them contiguous. */
const GOALS: Readonly<Record<string, number>> = { qft: 5, ghz: 4 };

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: 'sweeps';
  readonly lowerBound: number;
  readonly firstFit: number;
  readonly stores: number;
  readonly kernels: number;
  readonly scheduleMs: number;
  readonly goal?: number;
}

/** Prints and stores the table. */
export async function benchSweeps(): Promise<void> {
  const rows = TILES.flatMap(([numQubits, resident, contiguous]) =>
    FAMILIES.map(([name, circuitOf]) => rowOf(name, circuitOf(numQubits), resident, contiguous)),
  );
  const [, resident, contiguous] = TILES[0]!;
  const many = randomGates(30, 100_000);
  const work = () => Promise.resolve(schedule(many, targetOf(30, resident, contiguous)));
  const time = await measureMs('scheduling 100,000 random gates on 30 qubits', 5, work);
  print(rows);
  process.stdout.write(`  ${time.name}: ${time.value.toPrecision(3)} ms\n`);
  store('sweeps', [...rows, time]);
}

function rowOf(family: string, circuit: Circuit, resident: number, contiguous: number): Row {
  const name = `${family}, ${circuit.numQubits} qubits, ${resident} resident, ${contiguous} contiguous`;
  const target = targetOf(circuit.numQubits, resident, contiguous);
  const { program } = schedule(circuit, target);
  const broken = breaches({ hash: hashProgram(program), ...program }, target);
  if (broken.length > 0) throw new Error(`${name}: ${broken.join(', ')}`);
  const sweeps = program.steps.filter((step) => step.kind === 'sweep');
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    schedule(circuit, target);
    return performance.now() - start;
  });
  const work = workOf(circuit, target.maxDenseQubits);
  const tile = { tileWires: resident, sharedWires: contiguous };
  const goal = circuit.numQubits === 30 && resident === 12 ? GOALS[family] : undefined;
  return {
    name,
    value: sweeps.length,
    unit: 'sweeps',
    lowerBound: fewestSweeps(work, tile),
    firstFit: firstFitSweeps(work, tile),
    stores: sweeps.filter((sweep) => sweep.store !== undefined).length,
    kernels: sweeps.reduce((sum, sweep) => sum + sweep.kernels.length, 0),
    scheduleMs: Number(median(times).toPrecision(3)),
    ...(goal === undefined ? {} : { goal }),
  };
}

function targetOf(maxQubits: number, tileQubits: number, contiguousQubits: number): TargetProfile {
  const chunkQubits = maxQubits;
  return {
    maxQubits,
    tileQubits,
    contiguousQubits,
    maxDenseQubits: 3,
    chunkQubits,
    precision: 'f32',
  };
}

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const line = (name: string, ...cells: readonly (string | number)[]) =>
    `  ${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(11)).join('')}\n`;
  const lines = rows.map(({ name, lowerBound, value, firstFit, goal = '', scheduleMs }) =>
    line(name, lowerBound, value, firstFit, goal, scheduleMs),
  );
  const heading = line('sweeps', 'at least', 'scheduled', 'first-fit', 'goal', 'ms');
  process.stdout.write(`${heading}${lines.join('')}`);
}
