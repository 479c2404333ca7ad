/**
 * Stabilizer runs beside Stim, where STIM_PYTHON names an interpreter that has it: memory experiments of the rotated
 * surface code with noise after every gate. Both use one thread.
 *
 * First the rates of detection events of one circuit are compared. Then engine and Stim take turns, in shots from a
 * prepared circuit, and in reference samples. The engine's shots are sorted and counted, Stim's are packed bits. Stim's
 * circuit is its own of the same experiment, which repeats a block, so that its reference sample repeats one, too.
 */
import type { DynamicCircuit } from '../src/circuit/circuit.ts';
import { compileStabilizer } from '../src/compiler/clifford/compile-stabilizer.ts';
import type { StabilizerProgram } from '../src/compiler/program.ts';
import { NODE_HOST, openCpuEngine, openWasmKernels } from '../src/engine/cpu/cpu-engine.ts';
import type { Counts, Engine } from '../src/engine/engine.ts';
import { referenceSample } from '../src/engine/stabilizer/run-stabilizer.ts';
import { TimeSlicer } from '../src/engine/time-slicer.ts';
import { type Measurement, median, report } from './harness.ts';
import { type PythonPeer, pythonPeer } from './peers/python-peer.ts';
import { plaquettesOf, surfaceCodeMemory } from './surface-code.ts';

const PROBABILITY = 0.001;
/** Distances, and shots of a run. */
const CASES = [
  { distance: 5, shots: 102_400 },
  { distance: 11, shots: 102_400 },
  { distance: 25, shots: 10_240 },
] as const;
const ROUNDS = 5;
/** Least part of Stim's rate, and most multiple of the time of its reference sample. */
const GOALS = { rate: 1 / 3, reference: 3 };
const { signal } = new AbortController();

/** A circuit of the benchmark in Stim's language. */
function stimText({ operations }: DynamicCircuit): string {
  const lines = operations.map((operation) => {
    if (operation.kind === 'gate') {
      return `${operation.gate} ${[...operation.controls, ...operation.targets].join(' ')}`;
    }
    if (operation.kind === 'measure') return `M ${operation.qubits.join(' ')}`;
    if (operation.kind === 'reset') return `R ${operation.qubits.join(' ')}`;
    if (operation.kind !== 'noise' || operation.channel.kind !== 'pauli') {
      throw new Error(`unreachable: ${operation.kind} in a surface code`);
    }
    const { errors, numQubits } = operation.channel;
    const name = errors.length === 1 ? 'X_ERROR' : `DEPOLARIZE${numQubits}`;
    return `${name}(${PROBABILITY}) ${operation.qubits.join(' ')}`;
  });
  return lines.join('\n');
}

/** The fraction of the pairs of bits one round apart whose bits differ. */
function eventsOf({ outcomes, occurrences, wordsPerOutcome, numBits }: Counts, group: number) {
  const numRounds = Math.floor(numBits / group);
  let [events, pairs] = [0, 0];
  for (const [i, count] of occurrences.entries()) {
    const bitAt = (bit: number) =>
      (outcomes[i * wordsPerOutcome + (bit >>> 5)]! >>> (bit & 31)) & 1;
    for (let bit = group; bit < numRounds * group; bit++) {
      events += count * (bitAt(bit) ^ bitAt(bit - group));
      pairs += count;
    }
  }
  return events / pairs;
}

function programOf(circuit: DynamicCircuit): StabilizerProgram {
  const compiled = compileStabilizer(circuit);
  if ('kind' in compiled) throw new Error(compiled.operation);
  return compiled;
}

async function compareEvents(engine: Engine, stim: PythonPeer): Promise<void> {
  const circuit = surfaceCodeMemory(5, 5, PROBABILITY);
  const group = plaquettesOf(5).length;
  const [shots, seed] = [50_000, 3];
  await using executable = await engine.prepare.stabilizer!(programOf(circuit));
  const own = eventsOf((await executable.run({ shots, seed }, signal)).counts, group);
  const { events } = await stim.ask({ circuit: stimText(circuit), shots, seed, group });
  // Random bits of the first round differ from those of the second by errors only. Events come in pairs.
  const spread = Math.sqrt((4 * events) / (shots * group * 4));
  if (Math.abs(own - events) > 5 * spread) {
    throw new Error(`${own} of the bits change; with ${stim.name} it is ${events}`);
  }
}

async function measureCase(
  engine: Engine,
  { distance, shots }: (typeof CASES)[number],
  stim: PythonPeer | undefined,
): Promise<readonly Measurement[]> {
  const program = programOf(surfaceCodeMemory(distance, distance, PROBABILITY));
  await using executable = await engine.prepare.stabilizer!(program);
  await stim?.ask({ memory: distance, rounds: distance, probability: PROBABILITY });
  const kernels = openWasmKernels(NODE_HOST);
  const times: Record<'own' | 'stim', { rate: number[]; reference: number[] }> = {
    own: { rate: [], reference: [] },
    stim: { rate: [], reference: [] },
  };
  for (let round = 0; round <= ROUNDS; round++) {
    let started = performance.now();
    await referenceSample(program, kernels, new TimeSlicer(signal, () => {}));
    const referenceMs = performance.now() - started;
    const theirReference = await stim?.ask({ reference: true });
    started = performance.now();
    await executable.run({ shots, seed: round }, signal);
    const ms = performance.now() - started;
    const theirs = await stim?.ask({ sample: shots });
    // The first round warms both up.
    if (round === 0) continue;
    times.own.reference.push(referenceMs);
    times.own.rate.push((1000 * shots) / ms);
    if (stim === undefined) continue;
    times.stim.reference.push(theirReference.ms);
    times.stim.rate.push((1000 * shots) / theirs.ms);
  }
  const name = `surface code, distance ${distance}, ${distance} rounds`;
  const rows = (of: string, { rate, reference }: { rate: number[]; reference: number[] }) => [
    {
      name: `${name}: sampling rate of ${of}`,
      value: median(rate),
      unit: 'shots/s',
      spread: spreadOf(rate),
    },
    {
      name: `${name}: reference sample of ${of}`,
      value: median(reference),
      unit: 'ms',
      spread: spreadOf(reference),
    },
  ];
  if (stim === undefined) return rows('the engine', times.own);
  return [
    ...rows('the engine', times.own),
    ...rows(stim.name, times.stim),
    {
      name: `${name}: rate over that of ${stim.name}`,
      value: median(times.own.rate) / median(times.stim.rate),
      unit: '×',
      goal: GOALS.rate,
    },
    {
      name: `${name}: time of the reference sample over that of ${stim.name}`,
      value: median(times.own.reference) / median(times.stim.reference),
      unit: '×',
      goal: GOALS.reference,
    },
  ];
}

const spreadOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;

/** Writes `bench/results/stabilizer.json`. */
export async function benchStabilizer(): Promise<void> {
  const python = process.env['STIM_PYTHON'];
  const engine = openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 10 });
  await using stim =
    python === undefined ? undefined : await pythonPeer(python, 'stabilizer-peer.py');
  if (stim !== undefined) await compareEvents(engine, stim);
  const measurements: Measurement[] = [];
  for (const one of CASES) measurements.push(...(await measureCase(engine, one, stim)));
  report('stabilizer', measurements);
  await engine.close();
}
