/** Action of `qcs submit`. */
import { BadRequestError, type CircuitSubmissionInput } from '../../client/client.ts';
import type { JobPriority } from '../../jobs/job.ts';
import {
  faultsOfFile,
  messageOfFile,
  readCircuitFile,
  type SubmissionOptions,
  submissionFields,
} from '../circuit-file.ts';
import { type CommandIo, printable, writeEither } from '../command-io.ts';
import { CircuitRefusedError } from '../errors.ts';
import { type ShotFileOptions, withShotOutputs, writeShotFiles } from '../shot-files.ts';
import { followJob } from './follow-job.ts';
import { type AddressOptions, serviceClient } from './service-client.ts';
import { showEstimate } from './show-estimate.ts';

/** Options of the command. */
export interface SubmitOptions extends AddressOptions, SubmissionOptions, ShotFileOptions {
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly priority?: JobPriority;
  readonly async?: boolean;
  readonly estimate?: boolean;
  readonly json?: boolean;
}

/**
 * Submits the circuit of the file and, unless `--async` is set, follows its job to the end. With `--estimate` it prints
 * an estimate and submits nothing.
 *
 * @throws {CircuitRefusedError} with every fault that the service finds.
 * @throws as `followJob`.
 */
export async function submitCircuit(
  file: string,
  options: SubmitOptions,
  io: CommandIo,
): Promise<void> {
  const content = await readCircuitFile(file, options);
  const body = {
    ...withShotOutputs(submissionFields(content, options), options),
    ...labelFields(options),
  };
  const client = await serviceClient(options, io);
  // The service checks the fields of the file.
  const submission = body as CircuitSubmissionInput;
  if (options.estimate === true) {
    showEstimate(await accepted(file, () => client.estimate(submission)), options, io);
    return;
  }
  const record = await accepted(file, () => client.circuits.submit(submission));
  const id = printable(record.circuit_id);
  if (options.async === true) writeEither(io, options, record, id);
  else await followJob(client, id, options, io, (answer) => writeShotFiles(answer, options));
}

/** Name, tags and priority of the options, as fields of a request. */
export function labelFields({ name, tag: tags, priority }: SubmitOptions): object {
  return {
    ...(name !== undefined && { name }),
    ...(tags !== undefined && { tags }),
    ...(priority !== undefined && { priority }),
  };
}

/**
 * Submits the circuit of a file.
 *
 * @throws {CircuitRefusedError} with every fault that the service finds, at its path in the file.
 */
export async function accepted<Job>(file: string, submit: () => Promise<Job>): Promise<Job> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    const message = printable(messageOfFile(error.message));
    throw new CircuitRefusedError(file, message, faultsOfFile(error.details), { cause: error });
  }
}
