/**
 * Action of `qcs run` with `--sweep` or `--observable`: the circuit of a file is a batch of one program, which is
 * checked and run as the service would.
 */
import type { Batch } from '../client/api-types.ts';
import { batchResultOf } from '../client/batch-result.ts';
import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { statevectorSpec } from '../fleet/cpu-processors.ts';
import type { Processor } from '../fleet/processor.ts';
import { widthOfRun } from '../fleet/schedule/scheduled-run.ts';
import type { JobPart, JobPartPlace } from '../jobs/job.ts';
import { drawSeed } from '../math/philox.ts';
import type { CheckedProgram } from '../service/batches/batch-program.ts';
import { batchResultText } from '../service/batches/batch-result.ts';
import type { BatchResultFields } from '../service/batches/batch-schema.ts';
import { EngineRuns } from '../service/batches/engine-runs.ts';
import { checkedPrograms } from '../service/batches/read-batch.ts';
import { runBatchJob } from '../service/batches/run-batch-job.ts';
import { methodRequestOf } from '../service/circuits/check-method.ts';
import { isEstimated } from '../service/circuits/check-outputs.ts';
import { type Target, targetsOf } from '../service/circuits/targets.ts';
import { RequestInvalidError } from '../service/http/errors.ts';
import { faultsOfFile, type RunOptions, readCircuitFile, sweepBody } from './circuit-file.ts';
import { type CommandIo, writeWarnings } from './command-io.ts';
import { EngineProcessor } from './engine-processor.ts';
import { isRunHere, localJob, onFleet, targetsHere } from './local-run.ts';
import { openSimulator } from './local-simulator.ts';
import { withProgress } from './progress-bar.ts';
import type { SweepOptions } from './sweep-options.ts';
import { observableText, type SweepFacts, sweptFields, writeSweep } from './sweep-report.ts';

/** Options of the command. */
type RunSweepOptions = RunOptions & SweepOptions;

/** Result of a program that ran on this machine. */
interface SweepRun {
  readonly facts: SweepFacts;
  /** As `batchResultText` takes it. */
  readonly result: string;
  readonly parts: readonly JobPart[];
}

/** Runs the circuit of the file at all points of its inputs and prints a chart, a table or JSON. */
export async function runSweep(
  file: string,
  options: RunSweepOptions,
  io: CommandIo,
): Promise<void> {
  const body = sweepBody(await readCircuitFile(file, options), options);
  const run = await (isRunHere(body.target_processor) ? runHere : runOnFleet)(body, options, io);
  const { facts } = run;
  const texts = batchResultText(run.result, async (after) =>
    run.parts.filter((part) => after === undefined || isAfter(part, after)),
  );
  if (options.json === true) {
    const { processor, seed, inputs } = facts;
    const about = { processor, points: inputs.numPoints, seed, ...sweptFields(facts) };
    io.out.write(`${JSON.stringify({ status: 'completed', ...about }).slice(0, -1)},`);
    for await (const text of texts) io.out.write(text);
    io.out.write('}\n');
    return;
  }
  // The cast is safe: the text is that of the result's fields.
  const fields = JSON.parse(`{${await joined(texts)}}`) as Pick<Batch, keyof BatchResultFields>;
  writeSweep(facts, batchResultOf(fields), options, io);
}

function isAfter(part: JobPartPlace, place: JobPartPlace): boolean {
  return part.series > place.series || (part.series === place.series && part.from > place.from);
}

async function joined(texts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}

type Body = ReturnType<typeof sweepBody>;

/** Runs a program in this process as `statevector-sim` and `qvm` do. */
async function runHere(body: Body, options: RunSweepOptions, io: CommandIo): Promise<SweepRun> {
  const settings = fleetOptions(loadConfig(io.environment), io.now);
  const spec = statevectorSpec(settings);
  const program = checkedProgram(body, targetsHere(settings));
  const { method, outputs } = program;
  const gradients = outputs.includes('gradient') && !isEstimated(program);
  const numQubits = widthOfRun(program, { ...methodRequestOf(program), gradients });
  await using local = await openSimulator(numQubits, method, spec, settings);
  return await runProgram(body, program, new EngineProcessor(local), options, io);
}

async function runOnFleet(body: Body, options: RunSweepOptions, io: CommandIo): Promise<SweepRun> {
  return await onFleet(body.target_processor, io, async (fleet) => {
    const program = checkedProgram(body, targetsOf(fleet));
    const processor = fleet.get(String(body.target_processor));
    if (processor === undefined) throw new Error('unreachable: a sweep without its target');
    processor.admit();
    return await runProgram(body, program, processor, options, io);
  });
}

/** @throws {RequestInvalidError} with paths that begin in the program. */
function checkedProgram(body: Body, targets: readonly Target[]): CheckedProgram {
  try {
    return checkedPrograms(body, targets)[0]!;
  } catch (error) {
    if (!(error instanceof RequestInvalidError)) throw error;
    throw new RequestInvalidError(faultsOfFile(error.faults));
  }
}

/** Runs a program as a job, with a progress bar. */
async function runProgram(
  { target_processor }: Body,
  program: CheckedProgram,
  processor: Pick<Processor, 'run'>,
  { json }: RunSweepOptions,
  io: CommandIo,
): Promise<SweepRun> {
  if (json !== true) writeWarnings(program.warnings, io);
  const target = String(target_processor);
  const { numPoints: points } = program.inputs;
  const seed = program.seed ?? drawSeed(io.random);
  const job = localJob('batch', target, { points, seed }, io.now());
  const parts: JobPart[] = [];
  const runs = new EngineRuns(job, [program], processor);
  const result = await withProgress(io, (progress, signal) => {
    const hooks = {
      started: () => {},
      progress,
      saveParts: (saved: readonly JobPart[]) => void parts.push(...saved),
      savedParts: async () => [],
    };
    return runBatchJob(job, [program], { runs, hooks, signal, now: io.now });
  });
  parts.sort((a, b) => a.series - b.series || a.from - b.from);
  return { facts: factsOf(program, target, seed), result, parts };
}

function factsOf(program: CheckedProgram, processor: string, seed: number): SweepFacts {
  const { numQubits, inputs, observables, gradientInputs, shots } = program;
  return {
    processor,
    seed,
    numQubits,
    ...(shots !== undefined && { shots }),
    inputs,
    observables: observables.map(observableText),
    gradientInputs: gradientInputs.map((input) => inputs.names[input]!),
  };
}
