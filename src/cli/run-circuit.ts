/** Action of `qcs run`. */

import { compile } from '../compiler/compile.ts';
import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import { cpuEngines, statevectorSpec } from '../fleet/cpu-processors.ts';
import { ProcessorUnavailableError } from '../fleet/errors.ts';
import type { SizeClass } from '../fleet/schedule/lane.ts';
import { faultOfSelfTest, SELF_TEST_CIRCUITS, SELF_TEST_REQUEST } from '../fleet/self-test.ts';
import { checkCircuit } from '../service/circuits/check-circuit.ts';
import { circuitBodyOf } from '../service/circuits/read-circuit.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import { readCircuitFile, type SubmissionOptions, submissionFields } from './circuit-file.ts';
import { type CommandIo, writeJson, writeWarnings } from './command-io.ts';
import type { EngineChoice, LocalEngine } from './local-engine.ts';
import { runOnEngine } from './run-on-engine.ts';
import { type LocalRun, runFacts, runReport } from './run-report.ts';

/** Options of the command. */
export interface RunOptions extends EngineChoice, SubmissionOptions {
  readonly repeat?: number;
  readonly json?: boolean;
}

/** Runs the circuit of the file as the service would, or measures it if an option asks for that. */
export async function runCircuit(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  if (isMeasurement(options)) {
    const { measureFile } = await import('./measure-file.ts');
    await measureFile(file, options, io);
    return;
  }
  const fields = submissionFields(await readCircuitFile(file), options);
  const { facts, checked, result } = await run(fields, options, io);
  const answer = JSON.parse(circuitResultJson(checked, result));
  if (options.json) writeJson(io, { status: 'completed', ...facts, ...answer });
  else io.out.write(`${runReport(facts, answer, io.out.columns ?? 80)}\n`);
}

function isMeasurement({ engine, threads, precision, repeat }: RunOptions): boolean {
  return [engine, threads, precision, repeat].some((option) => option !== undefined);
}

type Fields = ReturnType<typeof submissionFields>;

async function run(fields: Fields, options: RunOptions, io: CommandIo): Promise<LocalRun> {
  if (fields.target_processor === 'statevector-sim') return await runHere(fields, options, io);
  const { runOnFleet } = await import('./run-on-fleet.ts');
  return await runOnFleet(fields, options, io);
}

/**
 * Runs a circuit in this process as `statevector-sim` does: small circuits on one thread, others on all.
 * Neither other engines nor unneeded threads are started.
 */
async function runHere(fields: Fields, { json }: RunOptions, io: CommandIo): Promise<LocalRun> {
  const settings = fleetOptions(loadConfig(io.environment), io.now);
  const spec = statevectorSpec(settings);
  const targets = [{ spec, available: true }];
  const body = circuitBodyOf(fields, targets);
  const checked = checkCircuit(body, targets);
  const facts = runFacts(body, checked, io);
  if (!json) writeWarnings(checked.warnings, io);

  const { small, wide } = cpuEngines(settings);
  const size = facts.qubits <= small.maxQubits.f64 ? 'small' : 'wide';
  const { numThreads, maxQubits, memoryBytes } = size === 'small' ? small : wide;
  const engine = openCpuEngine({
    precision: 'f64',
    numThreads,
    maxQubits: maxQubits.f64,
    memoryBytes,
  });
  await using local: LocalEngine = {
    engine,
    numThreads,
    precision: 'f64',
    spec,
    hardware: settings.machine.cpuModel,
    [Symbol.asyncDispose]: () => engine.close(),
  };
  await testEngine(local, size);
  const runs = { ...facts, repeat: 1, keepUnmeasured: false };
  const { result } = await runOnEngine(local, checked, runs, io);
  return { facts, checked, result };
}

/**
 * Tests the engine.
 *
 * @throws {ProcessorUnavailableError} if the engine gives a wrong answer to the self-test of that size.
 */
async function testEngine(
  { engine, precision, spec }: LocalEngine,
  size: SizeClass,
): Promise<void> {
  const { program } = compile(SELF_TEST_CIRCUITS[size], engine.target, { keepState: true });
  await using executable = await engine.prepare(program);
  const run = await executable.run(SELF_TEST_REQUEST, new AbortController().signal);
  const fault = faultOfSelfTest(run, precision, size);
  if (fault !== undefined) throw new ProcessorUnavailableError(spec.id, fault);
}
