/**
 * Action of `qcs run` with `--sweep` or `--observable`: the circuit of a file is a batch of one program, which is
 * checked and run as the service would.
 */
import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { statevectorSpec } from '../fleet/cpu-processors.ts';
import type { Processor } from '../fleet/processor.ts';
import type { Job, JobPart } from '../jobs/job.ts';
import { drawSeed } from '../math/philox.ts';
import { batchResultText } from '../service/batches/batch-result.ts';
import {
  type CheckedProgram,
  checkedPrograms,
  isEstimated,
} from '../service/batches/read-batch.ts';
import { runBatchJob } from '../service/batches/run-batch-job.ts';
import { type Target, targetsOf } from '../service/circuits/check-circuit.ts';
import { RequestInvalidError } from '../service/errors.ts';
import { encodeStored } from '../service/jobs/stored-request.ts';
import type { BatchResultFields } from '../service/schemas/batches.ts';
import { readCircuitFile, withInputs } from './circuit-file.ts';
import { type CommandIo, writeWarnings } from './command-io.ts';
import { EngineProcessor } from './engine-processor.ts';
import { InterruptedError, OptionsConflictError } from './errors.ts';
import { openSimulator } from './local-simulator.ts';
import { ProgressBar } from './progress-bar.ts';
import { isMeasurement, type RunOptions } from './run-circuit.ts';
import { DEFAULT_PROCESSOR, DEFAULT_SHOTS } from './run-defaults.ts';
import type { SweepOptions } from './sweep-options.ts';
import { observableText, type SweepFacts, sweepReport, sweepTable } from './sweep-report.ts';

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
  if (isMeasurement(options)) {
    throw new OptionsConflictError(
      '--sweep, --observable, --gradient and --table run the circuit as the service would, unmeasured.',
    );
  }
  const body = batchBody(await readCircuitFile(file), options);
  const run = await (body.target_processor === DEFAULT_PROCESSOR ? runHere : runOnFleet)(
    body,
    options,
    io,
  );
  const { facts } = run;
  const texts = batchResultText(run.result, async (after) =>
    after === undefined ? run.parts : [],
  );
  if (options.json === true) {
    io.out.write(`${JSON.stringify(jsonFacts(facts)).slice(0, -1)},`);
    for await (const text of texts) io.out.write(text);
    io.out.write('}\n');
    return;
  }
  // The cast is safe: the text is that of the result's fields.
  const fields = JSON.parse(`{${await joined(texts)}}`) as BatchResultFields;
  const write = options.table === true ? sweepTable : sweepReport;
  io.out.write(`${write(facts, fields, io.out.columns ?? 80)}\n`);
}

async function joined(texts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}

/**
 * Body of a batch of one program. Values are exact unless an option sets shots: those of a file are for its counts, as
 * they are when it is submitted.
 *
 * @throws {OptionsConflictError}
 */
function batchBody(content: Readonly<Record<string, unknown>>, options: RunSweepOptions) {
  const { target, shots, seed, input = {}, sweep = {}, observable, gradient } = options;
  const both = Object.keys(sweep).find((name) => Object.hasOwn(input, name));
  if (both !== undefined) {
    throw new OptionsConflictError(`The input ${both} is given by --input and by --sweep.`);
  }
  // What a circuit is answered, and how it is called, has no meaning for a sweep; other fields are checked.
  const { return: _return, priority: _priority, name: _name, tags: _tags, ...known } = content;
  const { target_processor, shots: shotsOfFile, seed: seedOfFile, inputs, ...source } = known;
  const observables = observable ?? source.observables;
  if (gradient === true && observables === undefined) {
    throw new OptionsConflictError(
      '--gradient is of expectation values. Add an --observable, such as --observable "Z0".',
    );
  }
  const counts = { return: ['counts'], shots: shots ?? shotsOfFile ?? DEFAULT_SHOTS };
  const values = {
    return: ['expectation', ...(gradient === true ? ['gradient'] : [])],
    observables,
    ...(shots !== undefined && { shots }),
  };
  const ownSeed = seed ?? seedOfFile;
  return {
    target_processor: target ?? target_processor ?? DEFAULT_PROCESSOR,
    programs: [
      {
        ...source,
        inputs: withInputs(inputs, { ...input, ...sweep }),
        ...(observables === undefined ? counts : values),
        ...(ownSeed !== undefined && { seed: ownSeed }),
      },
    ],
  };
}

type Body = ReturnType<typeof batchBody>;

/** Runs a program in this process as `statevector-sim` does. */
async function runHere(body: Body, options: RunSweepOptions, io: CommandIo): Promise<SweepRun> {
  const settings = fleetOptions(loadConfig(io.environment), io.now);
  const spec = statevectorSpec(settings);
  const program = checkedProgram(body, [{ spec, available: true }]);
  const holdsTwoStates = program.outputs.includes('gradient') && !isEstimated(program);
  const numQubits = program.numQubits + (holdsTwoStates ? 1 : 0);
  await using local = await openSimulator(numQubits, spec, settings);
  return await runProgram(body, program, new EngineProcessor(local), options, io);
}

async function runOnFleet(body: Body, options: RunSweepOptions, io: CommandIo): Promise<SweepRun> {
  const { onFleet } = await import('./run-on-fleet.ts');
  return await onFleet(body.target_processor, io, async (fleet) => {
    const program = checkedProgram(body, targetsOf(fleet));
    const processor = fleet.get(String(body.target_processor));
    if (processor === undefined) throw new Error('unreachable: a sweep without its target');
    processor.admit();
    return await runProgram(body, program, processor, options, io);
  });
}

const PROGRAM_PATH = 'programs[0].';

/** @throws {RequestInvalidError} with paths that begin in the program. */
function checkedProgram(body: Body, targets: readonly Target[]): CheckedProgram {
  try {
    return checkedPrograms(body, targets)[0]!;
  } catch (error) {
    if (!(error instanceof RequestInvalidError)) throw error;
    const faults = error.faults.map((fault) => ({
      ...fault,
      path: fault.path.startsWith(PROGRAM_PATH)
        ? fault.path.slice(PROGRAM_PATH.length)
        : fault.path,
    }));
    throw new RequestInvalidError(faults);
  }
}

/** Runs a program as a job, with a progress bar. */
async function runProgram(
  { target_processor }: Body,
  program: CheckedProgram,
  processor: Pick<Processor, 'runBatch'>,
  { json }: RunSweepOptions,
  io: CommandIo,
): Promise<SweepRun> {
  if (json !== true) writeWarnings(program.warnings, io);
  const target = String(target_processor);
  const { numPoints: points } = program.inputs;
  const seed = program.seed ?? drawSeed(io.random);
  const job: Job = {
    id: 'local',
    kind: 'batch',
    keyId: 'local',
    status: 'running',
    priority: 'normal',
    target,
    request: encodeStored({ points, seed, tier: 'standard' }, '{}'),
    createdAt: io.now(),
    attempts: 1,
  };
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
  using bar = new ProgressBar(io.err, 'running', io.now);
  const parts: JobPart[] = [];
  const hooks = {
    started: () => {},
    progress: (fraction: number) => bar.update(fraction),
    saveParts: (saved: readonly JobPart[]) => void parts.push(...saved),
    savedParts: async () => [],
  };
  const { signal } = interrupt;
  const result = await runBatchJob(job, [program], { processor, hooks, signal, now: io.now });
  parts.sort((a, b) => a.series - b.series || a.from - b.from);
  return { facts: { processor: target, seed, program }, result, parts };
}

function jsonFacts({ processor, seed, program }: SweepFacts) {
  const { inputs, observables } = program;
  return {
    status: 'completed',
    processor,
    points: inputs.numPoints,
    seed,
    inputs: Object.fromEntries(
      inputs.names.map((name, i) => {
        const { values, isBoolean } = inputs.columns[i]!;
        const all = Array.from(values, (value) => (isBoolean ? value !== 0 : value));
        return [name, all.length === 1 ? all[0] : all];
      }),
    ),
    ...(observables.length > 0 && { observables: observables.map(observableText) }),
  };
}
