/**
 * Engine of `statevector-sim` in this process: small circuits on one thread, others on all. Neither other engines nor
 * unneeded threads are started.
 */
import { compile } from '../compiler/compile.ts';
import { type CpuEngine, openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { type CpuProcessorOptions, cpuEngines } from '../fleet/cpu-processors.ts';
import { ProcessorUnavailableError } from '../fleet/errors.ts';
import type { Machine } from '../fleet/machine.ts';
import type { ProcessorSpec } from '../fleet/processor.ts';
import type { SizeClass } from '../fleet/schedule/lane.ts';
import { faultOfSelfTest, SELF_TEST_CIRCUITS, SELF_TEST_REQUEST } from '../fleet/self-test.ts';
import type { LocalEngine } from './local-engine.ts';

const PRECISION = 'f64';

/**
 * Opens the engine for states of that many qubits and tests it.
 *
 * @throws {ProcessorUnavailableError} if the engine gives a wrong answer to its self-test.
 */
export async function openSimulator(
  numQubits: number,
  spec: ProcessorSpec,
  settings: CpuProcessorOptions & { readonly machine: Machine },
): Promise<LocalEngine & { readonly engine: CpuEngine }> {
  const { small, wide } = cpuEngines(settings);
  const size = numQubits <= small.maxQubits[PRECISION] ? 'small' : 'wide';
  const { numThreads, maxQubits, memoryBytes } = size === 'small' ? small : wide;
  const engine = openCpuEngine({
    precision: PRECISION,
    numThreads,
    maxQubits: maxQubits[PRECISION],
    memoryBytes,
  });
  try {
    await testEngine(engine, size, spec);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return {
    engine,
    numThreads,
    precision: PRECISION,
    spec,
    hardware: settings.machine.cpuModel,
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

async function testEngine(engine: Engine, size: SizeClass, { id }: ProcessorSpec): Promise<void> {
  const { program } = compile(SELF_TEST_CIRCUITS[size], engine.target, { keepState: true });
  await using executable = await engine.prepare(program);
  const run = await executable.run(SELF_TEST_REQUEST, new AbortController().signal);
  const fault = faultOfSelfTest(run, PRECISION, size);
  if (fault !== undefined) throw new ProcessorUnavailableError(id, fault);
}
