/**
 * Evolution of one circuit at one width: the engine, the same circuit as it was written, the engine's
 * kernels gate by gate, and one plain kernel a gate.
 */
import { withFinalMeasurement } from '../src/circuit/circuit.ts';
import { compile } from '../src/compiler/compile.ts';
import type { Program } from '../src/compiler/program.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Engine, Executable } from '../src/engine/engine.ts';
import { type Measurement, median } from './harness.ts';
import { commonCircuit, comparedObservables, type Family } from './webgpu-circuits.ts';
import { runOn, runProgramOn, verifyWide, worstDifference } from './webgpu-facts.ts';
import { gateByGateProgram } from './webgpu-gate-by-gate.ts';
import { maxPlainQubits, type PlainCircuit, placePlainCircuit } from './webgpu-plain-gates.ts';
import { type MemoryRates, sweepBytes } from './webgpu-rates.ts';

const NEVER = new AbortController().signal;
const ONE_SHOT = { shots: 1, seed: 1 };
const MAX_CPU_QUBITS = 22;
const EXPECTATION_TOLERANCE = 1e-4;

/** Goals on one NVIDIA H200 at 30 qubits, milliseconds; no goals of other adapters and widths. */
const GOALS_AT_30: Readonly<Record<Family, number>> = {
  ghz: 30,
  qft: 60,
  qaoa: 120,
  adder: 120,
  rqc: 200,
};

/** One circuit at one width. */
export interface EvolutionRow {
  readonly circuit: string;
  readonly numQubits: number;
  readonly evolutionMs: number;
  readonly spreadMs: readonly [number, number];
  readonly sweeps: number;
  readonly bytesMoved: number;
  readonly gbPerSecond: number;
  readonly ofCopyRate: number;
  /** Time in units of a sweep with one gate. */
  readonly sweepTimes: number;
  /** Time of the scheduled circuit without passes. */
  readonly asWrittenMs: number;
  readonly asWrittenSweeps: number;
  readonly gateByGateMs: number;
  readonly gateByGateSweeps: number;
  readonly timesFasterThanGateByGate: number;
  readonly asWrittenTimesFaster: number;
  /** Time with one plain kernel a gate; absent if one buffer does not hold the state. */
  readonly plainMs?: number;
  readonly timesFasterThanPlain?: number;
  readonly goalMs?: number;
}

/**
 * Verifies a common circuit at a width, then times it in turns with its rivals.
 *
 * @param device - For the plain kernels; the engine has its own.
 * @throws {Error} if any of them is wrong.
 */
export async function measureFamily(
  engine: Engine,
  device: GPUDevice,
  family: Family,
  numQubits: number,
  { copyGBs, sweepMs }: MemoryRates,
  repeats: number,
): Promise<EvolutionRow> {
  const circuit = commonCircuit(family, numQubits);
  const gateByGate = gateByGateProgram(circuit, engine.target);
  await verifyWide(engine, family, circuit);
  const gateByGateSweeps = await compareExpectations(engine, family, gateByGate);
  await using scheduled = await engine.prepare.statevector(compile(circuit, engine.target).program);
  const { program: written } = compile(circuit, engine.target, { optimize: false });
  await using asWritten = await engine.prepare.statevector(written);
  await using alone = await engine.prepare.statevector(gateByGate);
  await using plain =
    numQubits > maxPlainQubits(device.limits)
      ? undefined
      : await verifiedPlain(engine, device, family, numQubits);
  const own: number[] = [];
  const unoptimized: number[] = [];
  const slow: number[] = [];
  const plainTimes: number[] = [];
  const passes = {
    own: await passesOf(scheduled),
    written: await passesOf(asWritten),
  };
  for (let i = 0; i < repeats; i++) {
    // After the plain kernels, which another device ran, the first run of the engine waits for the card.
    if (plain !== undefined) await scheduled.run(ONE_SHOT, NEVER);
    own.push((await scheduled.run(ONE_SHOT, NEVER)).timing.evolutionMs);
    unoptimized.push((await asWritten.run(ONE_SHOT, NEVER)).timing.evolutionMs);
    slow.push((await alone.run(ONE_SHOT, NEVER)).timing.evolutionMs);
    if (plain !== undefined) plainTimes.push(await plain.run());
  }
  const evolutionMs = median(own);
  const bytesMoved = passes.own * sweepBytes(numQubits);
  const gbPerSecond = bytesMoved / evolutionMs / 1e6;
  const asWrittenMs = median(unoptimized);
  const gateByGateMs = median(slow);
  return {
    circuit: family,
    numQubits,
    evolutionMs,
    spreadMs: [Math.min(...own), Math.max(...own)],
    sweeps: passes.own,
    bytesMoved,
    gbPerSecond,
    ofCopyRate: gbPerSecond / copyGBs,
    sweepTimes: evolutionMs / sweepMs,
    asWrittenMs,
    asWrittenSweeps: passes.written,
    gateByGateMs,
    gateByGateSweeps,
    timesFasterThanGateByGate: gateByGateMs / evolutionMs,
    asWrittenTimesFaster: gateByGateMs / asWrittenMs,
    ...(plain !== undefined && {
      plainMs: median(plainTimes),
      timesFasterThanPlain: median(plainTimes) / evolutionMs,
    }),
    ...(numQubits === 30 && { goalMs: GOALS_AT_30[family] }),
  };
}

/** Runs the program once, which also warms it up. */
async function passesOf(executable: Executable): Promise<number> {
  return (await executable.run(ONE_SHOT, NEVER)).statePasses;
}

/**
 * The scheduled circuit against the same gate by gate, and against the CPU engine where that is wide
 * enough, by expectation values.
 *
 * @returns The sweeps that it takes gate by gate.
 */
async function compareExpectations(
  engine: Engine,
  family: Family,
  gateByGate: Program,
): Promise<number> {
  const { numQubits } = gateByGate;
  const circuit = commonCircuit(family, numQubits);
  const observables = comparedObservables(numQubits);
  const { expectations = [] } = await runOn(engine, circuit, { observables });
  const alone = await runProgramOn(engine, gateByGate, { observables });
  const rivals = [alone];
  if (numQubits <= MAX_CPU_QUBITS) {
    const cpu = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: MAX_CPU_QUBITS });
    rivals.push(await runOn(cpu, circuit, { observables }));
    await cpu.close();
  }
  for (const rival of rivals) {
    const apart = worstDifference(expectations, rival.expectations ?? []);
    if (apart < EXPECTATION_TOLERANCE) continue;
    throw new Error(`${family} ${numQubits}: an expectation value is off by ${apart}`);
  }
  return alone.statePasses;
}

/** The plain kernels' circuit, after one at 12 qubits gave the engine's amplitudes. */
async function verifiedPlain(
  engine: Engine,
  device: GPUDevice,
  family: Family,
  numQubits: number,
): Promise<PlainCircuit> {
  const small = commonCircuit(family, Math.min(12, numQubits));
  const { statevector = [] } = await runOn(engine, small, { statevector: true });
  await using plain = await placePlainCircuit(device, small);
  await plain.run();
  const apart = worstDifference(await plain.amplitudes(2 ** small.numQubits), statevector);
  if (!(apart < 1e-5)) throw new Error(`plain kernels, ${family}: off by ${apart}`);
  const placed = await placePlainCircuit(device, commonCircuit(family, numQubits));
  await placed.run();
  return placed;
}

/** Time of a million shots of the random circuit, after its evolution. */
export async function samplingTime(
  engine: Engine,
  numQubits: number,
  repeats: number,
): Promise<Measurement> {
  const shots = 1_000_000;
  const circuit = withFinalMeasurement(commonCircuit('rqc', numQubits));
  await using executable = await engine.prepare.statevector(
    compile(circuit, engine.target).program,
  );
  const times: number[] = [];
  for (let seed = 0; seed <= repeats; seed++) {
    const { counts, timing } = await executable.run({ shots, seed }, NEVER);
    const total = counts.occurrences.reduce((sum, count) => sum + count, 0);
    if (total !== shots) throw new Error(`${total} of ${shots} shots came back`);
    // The first compiles the kernels of sampling.
    if (seed > 0) times.push(timing.samplingMs);
  }
  const name = `${shots.toLocaleString('en')} shots from rqc ${numQubits}`;
  const goal = numQubits === 30 ? { goal: 20 } : {};
  return {
    name,
    value: median(times),
    unit: 'ms',
    spread: [Math.min(...times), Math.max(...times)],
    ...goal,
  };
}
