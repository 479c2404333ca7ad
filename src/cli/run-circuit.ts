/** Action of `qcs run`. */

import { DEVICE_IDS } from '../compiler/device/public-devices.ts';
import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { type CpuProcessorOptions, statevectorSpec } from '../fleet/cpu-processors.ts';
import { circuitWork, widthOfRun } from '../fleet/schedule/scheduled-run.ts';
import { callerDeviceSpec, emulatedSpec, qvmSpec } from '../fleet/simulated-processor.ts';
import { checkCircuit } from '../service/circuits/check-circuit.ts';
import { circuitBodyOf } from '../service/circuits/read-circuit.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import type { Target } from '../service/circuits/targets.ts';
import { type RunOptions, readCircuitFile, submissionFields } from './circuit-file.ts';
import { type CommandIo, writeJson, writeWarnings } from './command-io.ts';
import { EngineProcessor } from './engine-processor.ts';
import { openSimulator } from './local-simulator.ts';
import { runFurtherHere } from './run-further-here.ts';
import { runOnEngine } from './run-on-engine.ts';
import { type LocalRun, runFacts, runReport } from './run-report.ts';

/** Runs the circuit of the file as the service would, or measures it if an option asks for that. */
export async function runCircuit(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  if (isMeasurement(options)) {
    const { measureFile } = await import('./measure-file.ts');
    await measureFile(file, options, io);
    return;
  }
  const fields = submissionFields(await readCircuitFile(file, options), options);
  const { facts, checked, result, further } = await run(fields, options, io);
  const answer = JSON.parse(circuitResultJson({ ...checked, seed: facts.seed }, result, further));
  if (options.json) writeJson(io, { status: 'completed', ...facts, ...answer });
  else io.out.write(`${runReport(facts, answer, io.out.columns ?? 80)}\n`);
}

/** Whether an option asks to measure an engine. */
export function isMeasurement({ engine, threads, precision, repeat }: RunOptions): boolean {
  return [engine, threads, precision, repeat].some((option) => option !== undefined);
}

type Fields = ReturnType<typeof submissionFields>;

async function run(fields: Fields, options: RunOptions, io: CommandIo): Promise<LocalRun> {
  if (isRunHere(fields.target_processor)) return await runHere(fields, options, io);
  const { runOnFleet } = await import('./run-on-fleet.ts');
  return await runOnFleet(fields, options, io);
}

/** Whether a processor runs circuits on the CPU's engine alone. */
export function isRunHere(target: unknown): boolean {
  if (target === 'statevector-sim' || target === 'qvm') return true;
  return typeof target === 'string' && /^emulator(-|$)/.test(target);
}

/** The processors of the CPU's engine, with all emulated devices. */
export function targetsHere(settings: CpuProcessorOptions): readonly Target[] {
  const spec = statevectorSpec(settings);
  const emulators = DEVICE_IDS.map((id) => emulatedSpec(id, spec));
  const specs = [spec, qvmSpec(spec), callerDeviceSpec(spec), ...emulators];
  return specs.map((each) => ({ spec: each, available: true }));
}

/** Runs a circuit in this process as `statevector-sim` and `qvm` do. */
async function runHere(fields: Fields, { json }: RunOptions, io: CommandIo): Promise<LocalRun> {
  const settings = fleetOptions(loadConfig(io.environment), io.now);
  const spec = statevectorSpec(settings);
  const targets = targetsHere(settings);
  const body = circuitBodyOf(fields, targets);
  const checked = checkCircuit(body, targets);
  const facts = runFacts(body, checked, io);
  if (!json) writeWarnings(checked.warnings, io);

  const width = widthOfRun(circuitWork(checked.circuit), checked);
  await using local = await openSimulator(width, checked.method, spec, settings);
  const runs = { ...facts, repeat: 1, keepUnmeasured: false };
  const { result } = await runOnEngine(local, checked, runs, io);
  const further = await runFurtherHere(new EngineProcessor(local), checked, facts, io);
  return { facts, checked, result, further };
}
