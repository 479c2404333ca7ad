/**
 * Near-Clifford circuits with noise, by Pauli frames around a state of active qubits, on one thread: T states that are
 * measured one after the other, and the texts in Stim's format of the folder that STIM_CIRCUITS names, such as magic
 * state cultivation. Beside Clifft where CLIFFT_PYTHON names an interpreter that has it.
 *
 * A shot is discarded if a detector fires. First the rates of the first circuit are compared with their exact values;
 * of the others, both have to discard equally many shots, and to have equally many logical errors among the rest. They
 * take turns, and the least time of several rounds counts, because the machine may be shared. The engine's time includes
 * counting the outcomes; Clifft's is that of its `sample`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readStim, type StimProgram } from '../src/circuit/stim/read-stim.ts';
import { type ActiveProgram, compileActive } from '../src/compiler/clifford/compile-active.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Counts, Executable } from '../src/engine/engine.ts';
import { type Measurement, report } from './harness.ts';
import { type PythonPeer, pythonPeer } from './peers/python-peer.ts';

const ROUNDS = 5;
/** Milliseconds that a round should take. */
const ROUND_MS = 1000;
const MAX_SHOTS = 1_000_000;
/** Deviations of a rate that are taken as chance. */
const DEVIATIONS = 5;
const { signal } = new AbortController();

const T_STATES = 40;
const T_ERROR = 0.01;
const ofTStates = `REPEAT ${T_STATES} {\n  RX 0\n  T 0\n  Z_ERROR(${T_ERROR}) 0\n  MX 0\n}\n`;

interface Case {
  readonly name: string;
  readonly text: string;
  readonly read: StimProgram;
  readonly program: ActiveProgram;
}

function caseOf(name: string, text: string): Case {
  const read = readStim(text, { maxQubits: 20_000, maxGates: 1_000_000 });
  const program = compileActive(read.circuit, { maxActiveQubits: 24 });
  if ('kind' in program) throw new Error(`${name}: ${JSON.stringify(program)}`);
  return { name, text, read, program };
}

/** Shots of a run that were discarded, and those with an error among the rest. */
interface Tally {
  readonly shots: number;
  readonly discards: number;
  readonly errors: number;
}

function tallyOf(
  { detectors, logicalObservables }: StimProgram,
  { outcomes, occurrences, wordsPerOutcome }: Counts,
): Tally {
  const parity = (i: number, bits: readonly number[]) =>
    bits.reduce(
      (sum, bit) => sum ^ ((outcomes[i * wordsPerOutcome + (bit >>> 5)]! >>> (bit & 31)) & 1),
      0,
    );
  let [shots, discards, errors] = [0, 0, 0];
  for (const [i, count] of occurrences.entries()) {
    shots += count;
    if (detectors.some((bits) => parity(i, bits) === 1)) discards += count;
    else if (logicalObservables.some((bits) => parity(i, bits) === 1)) errors += count;
  }
  return { shots, discards, errors };
}

/** Whether two parts of numbers may have the same probability. */
function mayBeEqual(a: number, ofA: number, b: number, ofB: number): boolean {
  const mean = (a + b) / (ofA + ofB);
  const variance = mean * (1 - mean) * (1 / ofA + 1 / ofB);
  return Math.abs(a / ofA - b / ofB) <= DEVIATIONS * Math.sqrt(variance);
}

function verifyTStates(counts: Counts): void {
  const { outcomes, occurrences, wordsPerOutcome } = counts;
  let [ones, all] = [0, 0];
  for (const [i, count] of occurrences.entries()) {
    all += T_STATES * count;
    for (let bit = 0; bit < T_STATES; bit++) {
      ones += count * ((outcomes[i * wordsPerOutcome + (bit >>> 5)]! >>> (bit & 31)) & 1);
    }
  }
  const plain = Math.sin(Math.PI / 8) ** 2;
  const expected = plain * (1 - T_ERROR) + (1 - plain) * T_ERROR;
  const deviation = Math.sqrt((expected * (1 - expected)) / all);
  if (Math.abs(ones / all - expected) > DEVIATIONS * deviation) {
    throw new Error(`T states are 1 in ${ones / all} of the measurements, not in ${expected}`);
  }
}

async function timed(executable: Executable, shots: number, seed: number) {
  const started = performance.now();
  const { counts } = await executable.run({ shots, seed }, signal);
  return { ms: performance.now() - started, counts };
}

async function measureCase(
  { name, text, read, program }: Case,
  clifft: PythonPeer | undefined,
): Promise<readonly Measurement[]> {
  const engine = openCpuEngine({ maxQubits: 1, numThreads: 1, precision: 'f64' });
  await using executable = await engine.prepare.stabilizer!(program);
  await timed(executable, 10_000, 0);
  const trial = await timed(executable, 10_000, 0);
  const shots = Math.min(MAX_SHOTS, 1000 * Math.ceil((10 * ROUND_MS) / trial.ms));
  const [ours, theirs]: number[][] = [[], []];
  await clifft?.ask({ stim: text });
  for (let round = 0; round < ROUNDS; round++) {
    const { ms, counts } = await timed(executable, shots, round);
    ours!.push(ms);
    if (name === 'T states') verifyTStates(counts);
    if (clifft === undefined) continue;
    const peer = await clifft.ask({ shots, seed: round });
    theirs!.push(peer.ms);
    const { discards, errors } = tallyOf(read, counts);
    const isSame =
      mayBeEqual(discards, shots, peer.discards, shots) &&
      mayBeEqual(errors, shots - discards, peer.errors, shots - peer.discards);
    if (!isSame) {
      throw new Error(
        `${name}: ${discards} discards and ${errors} errors, but ${peer.discards} and ${peer.errors} of ${clifft.name}`,
      );
    }
  }
  await engine.close();
  const rate = (ms: readonly number[]) => (1000 * shots) / Math.min(...ms);
  const rows: Measurement[] = [
    { name: `${name}: active qubits`, value: program.active.width, unit: '' },
    { name: `${name}: engine`, value: rate(ours!), unit: 'shots/s' },
  ];
  if (clifft === undefined) return rows;
  return [
    ...rows,
    { name: `${name}: ${clifft.name}`, value: rate(theirs!), unit: 'shots/s' },
    { name: `${name}: times Clifft's rate`, value: rate(ours!) / rate(theirs!), unit: '×' },
  ];
}

/** Writes `bench/results/active-qubits.json`. */
export async function benchActiveQubits(): Promise<void> {
  const cases = [caseOf('T states', ofTStates)];
  const folder = process.env['STIM_CIRCUITS'];
  if (folder !== undefined) {
    for (const file of readdirSync(folder).toSorted()) {
      if (!file.endsWith('.stim')) continue;
      cases.push(caseOf(basename(file, '.stim'), readFileSync(join(folder, file), 'utf8')));
    }
  }
  const python = process.env['CLIFFT_PYTHON'];
  await using clifft =
    python === undefined ? undefined : await pythonPeer(python, 'clifft-peer.py');
  const measurements: Measurement[] = [];
  for (const one of cases) measurements.push(...(await measureCase(one, clifft)));
  report('active-qubits', measurements);
}
