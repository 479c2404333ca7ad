/**
 * Action of `qcs submit` with options of a sweep: the circuit of a file is sent as a batch of one program, and printed
 * as `qcs run` prints it. The report also needs the submitted body.
 */
import { FaultList } from '../../circuit/errors.ts';
import { inputColumns } from '../../circuit/input-columns.ts';
import { type ObservableObject, parseObservables } from '../../circuit/observable.ts';
import { batchResultOf } from '../../client/batch-result.ts';
import type { Batch, BatchSubmission } from '../../client/client.ts';
import { unpackedInputs } from '../../service/batches/packed-inputs.ts';
import { readCircuitFile, sweepBody } from '../circuit-file.ts';
import { type CommandIo, printable, writeEither, writeJson } from '../command-io.ts';
import type { SweepOptions } from '../sweep-options.ts';
import { observableText, type SweepFacts, sweptFields, writeSweep } from '../sweep-report.ts';
import { throwUnlessCompleted, waitedFor } from './follow-job.ts';
import { serviceClient } from './service-client.ts';
import { showEstimate } from './show-estimate.ts';
import { accepted, labelFields, type SubmitOptions } from './submit-circuit.ts';

/** Options of the command. */
type SubmitSweepOptions = SubmitOptions & SweepOptions;

/**
 * Submits the circuit of the file with its sweep, waits for the batch, and prints a chart, a table or JSON.
 *
 * @throws {OptionsConflictError}
 * @throws {CircuitRefusedError} with every fault that the service finds.
 * @throws {JobFailedError | JobCancelledError | InterruptedError}
 */
export async function submitSweep(
  file: string,
  options: SubmitSweepOptions,
  io: CommandIo,
): Promise<void> {
  const content = await readCircuitFile(file, options);
  const { name, tags, priority } = content;
  const { target_processor, programs } = sweepBody(content, options);
  const [program = {}] = programs;
  const isPrinted = options.json === true || options.async === true;
  const body: object = {
    ...{ target_processor, programs, name, tags, priority, ...labelFields(options) },
    // Records are printed for people; for drawing, base64 is faster.
    array_format: isPrinted ? 'json' : 'base64',
  };
  const client = await serviceClient(options, io);
  // The service checks the fields of the file.
  const submission = body as BatchSubmission;
  if (options.estimate === true) {
    showEstimate(await accepted(file, () => client.estimate(submission)), options, io);
    return;
  }
  const submit = () => accepted(file, () => client.batches.submit(submission));
  if (options.async === true) {
    const record = await submit();
    writeEither(io, options, record, printable(record.batch_id));
    return;
  }
  const batch = await waitedFor(client.batches, submit, io);
  if (options.json === true) writeJson(io, { ...batch, ...sweptFields(submittedParts(program)) });
  throwUnlessCompleted(printable(batch.batch_id), batch);
  if (options.json === true) return;
  writeSweep({ ...factsOf(batch), ...submittedParts(program) }, batchResultOf(batch), options, io);
}

/** Facts of a completed batch. */
function factsOf({ processor, programs = [] }: Batch) {
  const [{ seed, qubits: numQubits, shots } = { seed: 0, qubits: 0 }] = programs;
  return { processor, seed, numQubits, ...(shots !== undefined && { shots }) };
}

/** The parts of a sweep that only its body has. The service has accepted the program, so they are well-formed. */
function submittedParts(
  program: Readonly<Record<string, unknown>>,
): Pick<SweepFacts, 'inputs' | 'observables' | 'gradientInputs'> {
  const { inputs: given, observables: sums = [], gradient_inputs: asked } = program;
  const inputs = inputColumns(unpackedInputs({ ...(given as object) }, new FaultList()));
  const numeric = inputs.names.filter((_, i) => inputs.columns[i]?.kind === 'number');
  const observables = parseObservables(
    sums as readonly ObservableObject[],
    Number.POSITIVE_INFINITY,
    'observables',
  );
  return {
    inputs,
    observables: observables.map(observableText),
    gradientInputs: (asked as readonly string[] | undefined) ?? numeric,
  };
}
