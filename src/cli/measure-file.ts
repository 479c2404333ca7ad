/** Action of `qcs run` with an option that measures. */
import { loadConfig } from '../config.ts';
import { readMachine } from '../fleet/machine.ts';
import { checkCircuit } from '../service/circuits/check-circuit.ts';
import { circuitBodyOf } from '../service/circuits/read-circuit.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import { type RunOptions, readCircuitFile, submissionFields } from './circuit-file.ts';
import { type CommandIo, writeJson, writeWarnings } from './command-io.ts';
import { EngineProcessor } from './engine-processor.ts';
import { OptionsConflictError } from './errors.ts';
import { openLocalEngine } from './local-engine.ts';
import { measure, measurementText } from './measure.ts';
import { runFurtherHere } from './run-further-here.ts';
import { runFacts, runReport } from './run-report.ts';

/** Runs the circuit of the file `repeat` times on the chosen engine and prints the times. */
export async function measureFile(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  if (options.target !== undefined) {
    throw new OptionsConflictError('--target runs a circuit as the service would, unmeasured.');
  }
  const machine = readMachine();
  const config = loadConfig(io.environment);
  await using local = await openLocalEngine(options, { config, machine });
  const targets = [{ spec: local.spec, available: true }];
  const content = await readCircuitFile(file, options);
  const fields = { ...submissionFields(content, options), target_processor: local.spec.id };
  const body = circuitBodyOf(fields, targets);
  const checked = checkCircuit(body, targets);
  const facts = runFacts(body, checked, io);
  const runs = { ...facts, repeat: options.repeat ?? 1 };
  const { result, measurement } = await measure(local, checked, runs, io);
  const further = await runFurtherHere(new EngineProcessor(local), checked, facts, io);
  const answer = JSON.parse(circuitResultJson({ ...checked, seed: facts.seed }, result, further));
  if (options.json) writeJson(io, { status: 'completed', ...facts, ...answer, measurement });
  else {
    writeWarnings(checked.warnings, io);
    const text = runReport(facts, answer, io.out.columns ?? 80);
    io.out.write(`${text}\n\n${measurementText(measurement)}\n`);
  }
}
