/**
 * Where bodies of tasks, plans and TPU jobs are read: small ones at once, large ones by readers. Those
 * with OpenQASM always there, for a short text may loop for long; and those with an expression, whose
 * parser takes most of a second to load and some 150 MB to hold.
 */

import type { ProcessorDirectory } from '../directories.ts';
import type { Readers, ReadingCaller } from '../reading/readers.ts';
import type { BodySource, ReadWork, WorkRequest } from '../reading/reading-messages.ts';
import { type ReadPlan, type ReadTask, readPlan, readTask } from '../tasks/read-task.ts';
import { type ReadTpuJob, readTpuJob } from '../tpu/read-tpu-job.ts';
import { requestHash } from './canonical-hash.ts';

/** A schema with alternatives at every entry takes some microseconds a byte where none fits. */
const QUICK_BODY_BYTES = 8192;

/** A body, and whose it is. */
export interface CallersBody {
  readonly source: BodySource;
  readonly caller: ReadingCaller;
}

/** Reads a task's body: the work of `WorkIntake.readTask`, wherever that is done. */
export async function readTaskBody(
  body: unknown,
  { owner, simulators, hashPath }: WorkRequest & { readonly owner: string },
): Promise<ReadWork<ReadTask>> {
  return hashed(await readTask(body, owner, simulators), body, hashPath);
}

/** Reads a plan's body, likewise. */
export async function readPlanBody(
  body: unknown,
  request: WorkRequest,
): Promise<ReadWork<ReadPlan>> {
  return hashed(await readPlan(body, request.simulators), body, request.hashPath);
}

/** Reads a TPU job's body, likewise. */
export function readTpuJobBody(body: unknown, request: WorkRequest): ReadWork<ReadTpuJob> {
  return hashed(readTpuJob(body, request.simulators), body, request.hashPath);
}

/** Reads bodies. */
export class WorkIntake {
  readonly #deps: {
    readonly intake: { readonly readers: Pick<Readers, 'run'> };
    readonly fleet: ProcessorDirectory;
  };

  constructor(deps: {
    readonly intake: { readonly readers: Pick<Readers, 'run'> };
    readonly fleet: ProcessorDirectory;
  }) {
    this.#deps = deps;
  }

  /**
   * Reads a task of the agent `owner`.
   *
   * @param hashPath - Path of the endpoint, where a hash is wanted.
   * @throws {RequestInvalidError} listing every fault; as ReadingRefusedError where a reader found
   *   them.
   * @throws what `Readers.run` throws.
   */
  async readTask(
    { source, caller }: CallersBody,
    owner: string,
    hashPath: string | undefined,
  ): Promise<ReadWork<ReadTask>> {
    const request = { ...this.#request(hashPath), owner };
    if (isQuick(source, caller)) return readTaskBody(source.value, request);
    return this.#deps.intake.readers.run('readTask', { ...source, request }, caller);
  }

  /** Reads a plan, likewise. */
  async readPlan(
    { source, caller }: CallersBody,
    hashPath: string | undefined,
  ): Promise<ReadWork<ReadPlan>> {
    const request = this.#request(hashPath);
    if (isQuick(source, caller)) return readPlanBody(source.value, request);
    return this.#deps.intake.readers.run('readPlan', { ...source, request }, caller);
  }

  /** Reads a TPU job, likewise. */
  async readTpuJob(
    { source, caller }: CallersBody,
    hashPath: string | undefined,
  ): Promise<ReadWork<ReadTpuJob>> {
    const request = this.#request(hashPath);
    if (isQuick(source, caller)) return readTpuJobBody(source.value, request);
    return this.#deps.intake.readers.run('readTpuJob', { ...source, request }, caller);
  }

  #request(hashPath: string | undefined): WorkRequest {
    const { processors } = this.#deps.fleet;
    const simulators = processors.filter(({ spec }) => spec.family !== 'superconducting');
    return {
      simulators: simulators.map(({ spec }) => spec.id),
      ...(hashPath !== undefined && { hashPath }),
    };
  }
}

function hashed<Read>(read: Read, body: unknown, path: string | undefined): ReadWork<Read> {
  return { read, ...(path !== undefined && { bodyHash: requestHash(path, body) }) };
}

function isQuick(
  source: BodySource,
  { numBytes }: ReadingCaller,
): source is { readonly value: unknown } {
  return numBytes <= QUICK_BODY_BYTES && 'value' in source && !holdsText(source.value);
}

/** Whether anything in the value is called `qasm` or `expression`; it is not nested deeply. */
function holdsText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isText = (name: string) => Object.hasOwn(value, name);
  if (!Array.isArray(value) && (isText('qasm') || isText('expression'))) return true;
  return Object.values(value).some(holdsText);
}
