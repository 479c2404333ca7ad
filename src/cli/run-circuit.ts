/** What `qcs run` does. */
import { createFleet, drawSeed } from '../compose.ts';
import { loadConfig } from '../config.ts';
import { readMachine } from '../fleet/machine.ts';
import type { CircuitResult, Processor } from '../fleet/processor.ts';
import {
  type PreparedCircuit,
  prepareCircuit,
  runRequest,
  targetsOf,
} from '../service/circuits/circuit-submission.ts';
import { circuitBodyOf } from '../service/circuits/read-submission.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import { readCircuitFile, type SubmissionOptions, submissionFields } from './circuit-file.ts';
import { type CommandIo, writeJson, writeWarnings } from './command-io.ts';
import { InterruptedError, OptionsConflictError } from './errors.ts';
import { type EngineChoice, openLocalEngine } from './local-engine.ts';
import { measure, measurementText } from './measure.ts';
import { ProgressBar } from './progress-bar.ts';
import { type RunFacts, runReport } from './run-report.ts';

/** What the command is told. */
export interface RunOptions extends EngineChoice, SubmissionOptions {
  readonly repeat?: number;
  readonly json?: boolean;
}

/** Runs the circuit of the file as the service would, or measures it where an option asks for that. */
export async function runCircuit(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  if (isMeasurement(options)) await measureFile(file, options, io);
  else await runFile(file, options, io);
}

function isMeasurement({ engine, threads, precision, repeat }: RunOptions): boolean {
  return [engine, threads, precision, repeat].some((option) => option !== undefined);
}

async function measureFile(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  if (options.target !== undefined) {
    throw new OptionsConflictError('--target runs a circuit as the service would, unmeasured.');
  }
  const machine = readMachine();
  const config = loadConfig(io.environment);
  await using local = await openLocalEngine(options, { config, machine });
  const targets = [{ spec: local.spec, available: true }];
  const content = await readCircuitFile(file);
  const fields = { ...submissionFields(content, options), target_processor: local.spec.id };
  const body = circuitBodyOf(fields, targets);
  const prepared = prepareCircuit(body, targets);
  const facts: RunFacts = {
    processor: local.spec.id,
    shots: body.shots,
    seed: body.seed ?? drawSeed(io.random),
    qubits: prepared.circuit.numQubits,
  };
  const runs = { ...facts, repeat: options.repeat ?? 1 };
  const { result, measurement } = await measure(local, prepared, runs, io);
  const answer = JSON.parse(circuitResultJson(prepared, result));
  if (options.json) writeJson(io, { status: 'completed', ...facts, ...answer, measurement });
  else {
    writeWarnings(prepared.warnings, io);
    const text = runReport(facts, answer, io.out.columns ?? 80);
    io.out.write(`${text}\n\n${measurementText(measurement)}\n`);
  }
}

async function runFile(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  const content = await readCircuitFile(file);
  const fields = submissionFields(content, options);
  const { environment } = io;
  const fleet = createFleet(loadConfig(environment), io.now, {
    environment,
    // Nothing else runs on adapters, and to look for them takes time.
    ...(fields.target_processor !== 'gpu-fleet' && { discover: async () => ({ adapters: [] }) }),
  });
  try {
    await fleet.start();
    const targets = targetsOf(fleet);
    const body = circuitBodyOf(fields, targets);
    const prepared = prepareCircuit(body, targets);
    const processor = fleet.get(prepared.processorId);
    if (processor === undefined) throw new Error('unreachable: a circuit without its target');
    const facts: RunFacts = {
      processor: prepared.processorId,
      shots: body.shots,
      seed: body.seed ?? drawSeed(io.random),
      qubits: prepared.circuit.numQubits,
    };
    if (!options.json) writeWarnings(prepared.warnings, io);
    const result = await runWithProgress(processor, prepared, facts, io);
    const answer = JSON.parse(circuitResultJson(prepared, result));
    if (options.json) writeJson(io, { status: 'completed', ...facts, ...answer });
    else io.out.write(`${runReport(facts, answer, io.out.columns ?? 80)}\n`);
  } finally {
    await fleet.close();
  }
}

async function runWithProgress(
  processor: Processor,
  prepared: PreparedCircuit,
  { shots, seed }: RunFacts,
  io: CommandIo,
): Promise<CircuitResult> {
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
  using bar = new ProgressBar(io.err, 'running', io.now);
  return await processor.run(
    {
      id: 'local',
      circuit: prepared.circuit,
      request: runRequest(prepared, shots, seed),
      priority: 'normal',
      keyId: 'local',
      tier: 'standard',
    },
    { onProgress: (fraction) => bar.update(fraction) },
    interrupt.signal,
  );
}
