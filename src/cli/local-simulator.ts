/**
 * Engine of `statevector-sim` in this process: small circuits on one thread, others on all. Neither other engines nor
 * unneeded threads are started.
 */
import { compile } from '../compiler/compile.ts';
import { openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../engine/cpu/hosted-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { type CpuProcessorOptions, cpuEngines, type Machine } from '../fleet/cpu-processors.ts';
import { ProcessorUnavailableError } from '../fleet/errors.ts';
import { precisionOfRun } from '../fleet/method-limits.ts';
import type { ProcessorSpec } from '../fleet/processor.ts';
import type { Precision, SizeClass } from '../fleet/schedule/lane.ts';
import type { RunMethod } from '../fleet/schedule/scheduled-run.ts';
import { faultOfSelfTest, SELF_TEST_CIRCUITS, SELF_TEST_REQUEST } from '../fleet/self-test.ts';
import type { LocalEngine } from './engine-processor.ts';

/**
 * Opens the engine for a run and tests it.
 *
 * @param numQubits - Of the state that the run holds.
 * @throws {ProcessorUnavailableError} if the engine gives a wrong answer to its self-test.
 */
export async function openSimulator(
  numQubits: number,
  method: RunMethod,
  spec: ProcessorSpec,
  settings: CpuProcessorOptions & { readonly machine: Machine },
): Promise<LocalEngine & { readonly engine: CpuEngine }> {
  const { small, wide } = cpuEngines(settings);
  const precision = precisionOfRun(spec, method, numQubits);
  const size = numQubits <= small.maxQubits[precision] ? 'small' : 'wide';
  const { numThreads, maxQubits, memoryBytes } = size === 'small' ? small : wide;
  const engine = openCpuEngine({
    precision,
    numThreads,
    maxQubits: maxQubits[precision],
    memoryBytes,
  });
  try {
    await testEngine(engine, { size, precision }, spec);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return {
    engine,
    numThreads,
    precision,
    spec,
    hardware: settings.machine.cpuModel,
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

async function testEngine(
  engine: Engine,
  { size, precision }: { readonly size: SizeClass; readonly precision: Precision },
  { id }: ProcessorSpec,
): Promise<void> {
  const { program } = compile(SELF_TEST_CIRCUITS[size], engine.target, { keepState: true });
  await using executable = await engine.prepare.statevector(program);
  const run = await executable.run(SELF_TEST_REQUEST, new AbortController().signal);
  const fault = faultOfSelfTest(run, precision, size);
  if (fault !== undefined) throw new ProcessorUnavailableError(id, fault);
}
