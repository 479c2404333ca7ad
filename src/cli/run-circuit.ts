/** Action of `qcs run`: the circuit of a file on a processor of this machine. */

import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { statevectorSpec } from '../fleet/cpu-processors.ts';
import { circuitWork, widthOfRun } from '../fleet/schedule/scheduled-run.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import { targetsOf } from '../service/circuits/targets.ts';
import { type RunOptions, readCircuitFile, submissionFields } from './circuit-file.ts';
import { type CommandIo, writeJson, writeWarnings } from './command-io.ts';
import { EngineProcessor } from './engine-processor.ts';
import {
  type CircuitToRun,
  checkedRun,
  isRunHere,
  onFleet,
  type RunResults,
  runChecked,
  targetsHere,
} from './local-run.ts';
import { openSimulator } from './local-simulator.ts';
import { runReport } from './run-report.ts';
import { withShotOutputs, writeShotFiles } from './shot-files.ts';
import { withKeptState, writeStateFile } from './state-file.ts';

type Fields = ReturnType<typeof submissionFields>;

/** Runs the circuit of the file as the service would, and prints its result. */
export async function runCircuit(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  const content = await readCircuitFile(file, options);
  const asShots = withShotOutputs(submissionFields(content, options), options);
  const fields = withKeptState(asShots, options);
  const onTarget = isRunHere(fields.target_processor) ? runHere : runOnFleet;
  const { facts, checked, result, further } = await onTarget(fields, io, (asked) => {
    if (!options.json) writeWarnings(asked.checked.warnings, io);
  });
  const { statevectors } = result.outputs;
  if (options.saveState !== undefined && statevectors !== undefined) {
    await writeStateFile(options.saveState, statevectors);
  }
  const whole = JSON.parse(circuitResultJson({ ...checked, seed: facts.seed }, result, further));
  const answer = await writeShotFiles(whole, options);
  if (options.json) writeJson(io, { status: 'completed', ...facts, ...answer });
  else io.out.write(`${runReport(facts, answer, io.out.columns ?? 80)}\n`);
}

/** Runs a circuit in this process as `statevector-sim` and `qvm` do. */
async function runHere(
  fields: Fields,
  io: CommandIo,
  onChecked: (asked: CircuitToRun) => void,
): Promise<CircuitToRun & RunResults> {
  const settings = fleetOptions(loadConfig(io.environment), io.now);
  const asked = checkedRun(fields, targetsHere(settings), io);
  onChecked(asked);
  const { checked } = asked;
  const width = widthOfRun(circuitWork(checked.circuit), checked);
  await using local = await openSimulator(
    width,
    checked.method,
    statevectorSpec(settings),
    settings,
  );
  return { ...asked, ...(await runChecked(new EngineProcessor(local), asked, io)) };
}

/** Runs a circuit on any processor of the fleet. */
async function runOnFleet(
  fields: Fields,
  io: CommandIo,
  onChecked: (asked: CircuitToRun) => void,
): Promise<CircuitToRun & RunResults> {
  return await onFleet(fields.target_processor, io, async (fleet) => {
    const asked = checkedRun(fields, targetsOf(fleet), io);
    onChecked(asked);
    const processor = fleet.get(asked.checked.target);
    if (processor === undefined) throw new Error('unreachable: a circuit without its target');
    return { ...asked, ...(await runChecked(processor, asked, io)) };
  });
}
