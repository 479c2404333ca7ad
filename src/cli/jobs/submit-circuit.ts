/** Action of `qcs submit`. */
import type { JobPriority } from '../../jobs/job.ts';
import { CIRCUITS } from '../../service/jobs/job-resources.ts';
import { readCircuitFile, type SubmissionOptions, submissionFields } from '../circuit-file.ts';
import { type CommandIo, writeJson } from '../command-io.ts';
import { CircuitRefusedError, ServiceRefusedError } from './errors.ts';
import { followJob } from './follow-job.ts';
import { readRecord } from './job-record.ts';
import { type AddressOptions, serviceAddress } from './service-address.ts';
import { ServiceClient } from './service-client.ts';

/** Options of the command. */
export interface SubmitOptions extends AddressOptions, SubmissionOptions {
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly priority?: JobPriority;
  readonly async?: boolean;
  readonly json?: boolean;
}

/**
 * Submits the circuit of the file and, unless told to leave, follows its job to the end.
 *
 * @throws {CircuitRefusedError} with every fault that the service finds.
 * @throws as `followJob`.
 */
export async function submitCircuit(
  file: string,
  options: SubmitOptions,
  io: CommandIo,
): Promise<void> {
  const { name, tag: tags, priority } = options;
  const body = {
    ...submissionFields(await readCircuitFile(file), options),
    ...(name !== undefined && { name }),
    ...(tags !== undefined && { tags }),
    ...(priority !== undefined && { priority }),
  };
  const client = new ServiceClient(await serviceAddress(options, io), io);
  const answer = await accepted(client, body, file);
  const { id, fields } = readRecord(answer, CIRCUITS, client.origin);
  if (options.async !== true) await followJob(id, options, io);
  else if (options.json === true) writeJson(io, fields);
  else io.out.write(`${id}\n`);
}

async function accepted(client: ServiceClient, body: object, file: string) {
  try {
    return await client.ask('/quantum/circuits', {
      method: 'POST',
      headers: { prefer: 'respond-async' },
      body,
    });
  } catch (error) {
    if (!(error instanceof ServiceRefusedError && error.status === 400)) throw error;
    throw new CircuitRefusedError(file, error.said, error.faults, { cause: error });
  }
}
