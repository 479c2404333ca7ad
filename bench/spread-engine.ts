/**
 * One state over several devices: what an exchange between devices moves, and the common circuits
 * beside one device at the same width. Where the devices are of one adapter, as here unless
 * QCS_BENCH_ADAPTERS names several, they share its memory and its cores: the ratio then says what
 * spreading costs, not what it gains.
 *
 * Verified before anything is timed: random and common circuits against the reference engine, and each
 * timed circuit by what is known of it. Engines take turns, and are compared by medians.
 *
 * QCS_BENCH_QUBITS: width (22). QCS_BENCH_REPEATS: runs of each (5). QCS_BENCH_ADAPTERS: parts of the
 * adapters' names with commas between (QCS_BENCH_ADAPTER, twice).
 */
import { compile } from '../src/compiler/compile.ts';
import type { Program, Step } from '../src/compiler/program.ts';
import type { Engine, Executable } from '../src/engine/engine.ts';
import { NoAdapterError } from '../src/engine/errors.ts';
import { openGpuDevice } from '../src/engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile, sleepUntil } from '../src/engine/webgpu/node-gpu.ts';
import { openSpreadEngine } from '../src/engine/webgpu/spread/spread-engine.ts';
import { type Measurement, median, store } from './harness.ts';
import { adapterFacts, openBenchEngine } from './webgpu-adapter.ts';
import { commonCircuit, type Family } from './webgpu-circuits.ts';
import { verifyAgainstReference, verifyWide } from './webgpu-facts.ts';
import { copyRate } from './webgpu-rates.ts';

const TIMED: readonly Family[] = ['ghz', 'qft', 'rqc'];
const FEW_EXCHANGES = 2;
const MANY_EXCHANGES = 10;
const NEVER = new AbortController().signal;

/** Prints and stores the figures. */
export async function benchSpreadEngine(): Promise<void> {
  const { QCS_BENCH_QUBITS = '22', QCS_BENCH_REPEATS = '5' } = process.env;
  const [numQubits, repeats] = [Number.parseInt(QCS_BENCH_QUBITS, 10), Number(QCS_BENCH_REPEATS)];
  const devices = await openDevices().catch((error: unknown) => {
    if (error instanceof NoAdapterError) return undefined;
    throw error;
  });
  if (devices === undefined) {
    print('spread-engine: no adapter was found; left out');
    return;
  }
  const adapters = devices.map(adapterFacts);
  const deviceQubits = Math.log2(devices.length);
  const spread = await openSpreadEngine({
    devices: devices.map((device) => ({ device })),
    shaders: shaderFile,
    onWait: sleepUntil,
    maxQubits: numQubits,
    memoryBytes: 8 * 2 ** (numQubits - deviceQubits),
  });
  const one = await openBenchEngine(numQubits);
  const names = adapters.map(({ name }) => name).join(' and ');
  print(`spread-engine: ${names}, a state of ${numQubits} qubits on ${devices.length} devices`);
  print(`  ${await verifyAgainstReference(spread, 12)} circuits agree with the reference engine`);
  const measurements = [
    ...(await exchangeRates(spread, numQubits, deviceQubits, repeats)),
    {
      name: 'plain copy on one device, read plus written',
      value: await copyRate(numQubits),
      unit: 'GB/s',
    },
  ];
  for (const family of TIMED) {
    measurements.push(...(await compareFamily(spread, one, family, numQubits, repeats)));
  }
  for (const { name, value, unit } of measurements) {
    print(`  ${name.padEnd(60)} ${value.toPrecision(4)} ${unit}`);
  }
  store('spread-engine', measurements, { adapters, numQubits });
  await Promise.all([spread.close(), one.close()]);
}

async function openDevices(): Promise<readonly GPUDevice[]> {
  const { QCS_BENCH_ADAPTER, QCS_BENCH_ADAPTERS } = process.env;
  const names = QCS_BENCH_ADAPTERS?.split(',') ?? [QCS_BENCH_ADAPTER, QCS_BENCH_ADAPTER];
  const devices: GPUDevice[] = [];
  for (const adapter of names) {
    devices.push(await openGpuDevice(nodeGpu(adapter === undefined ? {} : { adapter })));
  }
  return devices;
}

/**
 * Bytes per second exchanged between devices, both directions added, for a low and for a high near
 * qubit.
 */
async function exchangeRates(
  spread: Engine,
  numQubits: number,
  deviceQubits: number,
  repeats: number,
): Promise<readonly Measurement[]> {
  const numLocal = numQubits - deviceQubits;
  const measurements: Measurement[] = [];
  for (const [where, near] of [
    ['the highest place', numLocal - 1],
    ['the lowest place', 0],
  ] as const) {
    const exchange: Step = { kind: 'exchange', pairs: [[numQubits - 1, near]] };
    const few = await prepared(spread, numQubits, exchange, FEW_EXCHANGES);
    const many = await prepared(spread, numQubits, exchange, MANY_EXCHANGES);
    const times: number[] = [];
    for (let i = 0; i <= repeats; i++) {
      const ms = (await evolutionMs(many)) - (await evolutionMs(few));
      // The first warms up.
      if (i > 0) times.push(ms / (MANY_EXCHANGES - FEW_EXCHANGES));
    }
    const ms = median(times);
    // Half of each device's part goes to the other.
    const bytes = (8 * 2 ** numQubits) / 2;
    measurements.push(
      { name: `exchange between devices of ${where}`, value: ms, unit: 'ms' },
      { name: `  from device to device`, value: bytes / ms / 1e6, unit: 'GB/s' },
    );
    await few[Symbol.asyncDispose]();
    await many[Symbol.asyncDispose]();
  }
  return measurements;
}

function prepared(
  engine: Engine,
  numQubits: number,
  step: Step,
  times: number,
): Promise<Executable> {
  const program: Program = {
    hash: `${times} exchanges`,
    numQubits,
    numBits: 0,
    steps: Array.from({ length: times }, () => step),
    matrices: new Float64Array(),
    finalLayout: Array.from({ length: numQubits }, (_, q) => q),
  };
  return engine.prepare.statevector(program);
}

/** Times a circuit on several devices and on one of them, interleaved. */
async function compareFamily(
  spread: Engine,
  one: Engine,
  family: Family,
  numQubits: number,
  repeats: number,
): Promise<readonly Measurement[]> {
  const circuit = commonCircuit(family, numQubits);
  await verifyWide(spread, family, circuit);
  const program = compile(circuit, spread.target).program;
  await using together = await spread.prepare.statevector(program);
  await using alone = await one.prepare.statevector(compile(circuit, one.target).program);
  const times: { readonly together: number; readonly alone: number }[] = [];
  for (let i = 0; i <= repeats; i++) {
    const pair = { together: await evolutionMs(together), alone: await evolutionMs(alone) };
    if (i > 0) times.push(pair);
  }
  const togetherMs = median(times.map((pair) => pair.together));
  const aloneMs = median(times.map((pair) => pair.alone));
  const exchanges = program.steps.filter(({ kind }) => kind === 'exchange').length;
  return [
    { name: `${family}: on all devices, ${exchanges} exchanges`, value: togetherMs, unit: 'ms' },
    { name: `${family}: on one device`, value: aloneMs, unit: 'ms' },
    { name: `${family}: ratio`, value: togetherMs / aloneMs, unit: 'times' },
  ];
}

async function evolutionMs(executable: Executable): Promise<number> {
  const { timing } = await executable.run({ shots: 1, seed: 1 }, NEVER);
  return timing.evolutionMs;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
