/**
 * Where bodies of tasks, plans and TPU jobs are read: small ones at once, large ones in the offload
 * thread, and those with OpenQASM always there, for a short text may loop for long.
 */
import type { BodySource } from '../offload/offload-messages.ts';
import { buffersOf } from '../offload/offload-messages.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { type ReadPlan, type ReadTask, readPlan, readTask } from '../tasks/read-task.ts';
import { type ReadTpuJob, readTpuJob } from '../tpu/read-tpu-job.ts';
import { requestHash } from './canonical-hash.ts';

/** A schema with alternatives at every entry takes some microseconds a byte where none fits. */
const QUICK_BODY_BYTES = 8192;

/** A body, and how many bytes it came in; Infinity where that was not said. */
export interface SizedBody {
  readonly source: BodySource;
  readonly numBytes: number;
}

/** Work that was read, and the hash by which a repeat is known, where one was asked for. */
export interface ReadWork<Read> {
  readonly read: Read;
  readonly bodyHash?: string;
}

/** What is asked beside the body. */
export interface WorkRequest {
  /** Ids of the processors that circuits may be sent to. */
  readonly simulators: readonly string[];
  /** Path of the endpoint, where a hash is wanted. */
  readonly hashPath?: string;
}

/** Reads a task's body: the work of `WorkIntake.readTask`, wherever that is done. */
export function readTaskBody(
  body: unknown,
  { owner, simulators, hashPath }: WorkRequest & { readonly owner: string },
): ReadWork<ReadTask> {
  return hashed(readTask(body, owner, simulators), body, hashPath);
}

/** Reads a plan's body, likewise. */
export function readPlanBody(body: unknown, request: WorkRequest): ReadWork<ReadPlan> {
  return hashed(readPlan(body, request.simulators), body, request.hashPath);
}

/** Reads a TPU job's body, likewise. */
export function readTpuJobBody(body: unknown, request: WorkRequest): ReadWork<ReadTpuJob> {
  return hashed(readTpuJob(body, request.simulators), body, request.hashPath);
}

/** Reads bodies. */
export class WorkIntake {
  readonly #deps: Pick<ServiceDeps, 'intake' | 'fleet'>;

  constructor(deps: Pick<ServiceDeps, 'intake' | 'fleet'>) {
    this.#deps = deps;
  }

  /**
   * Reads a task of the agent `owner`; bytes are gone afterwards.
   *
   * @param hashPath - Path of the endpoint, where a hash is wanted.
   * @throws {RequestInvalidError} listing every fault; as OffloadedError where a thread found them.
   */
  async readTask(
    { source, numBytes }: SizedBody,
    owner: string,
    hashPath: string | undefined,
  ): Promise<ReadWork<ReadTask>> {
    const request = { ...this.#request(hashPath), owner };
    if (isQuick(source, numBytes)) return readTaskBody(source.value, request);
    const { thread } = this.#deps.intake;
    return thread.run('readTask', { ...source, request }, buffersOf(source));
  }

  /** Reads a plan, likewise. */
  async readPlan(
    { source, numBytes }: SizedBody,
    hashPath: string | undefined,
  ): Promise<ReadWork<ReadPlan>> {
    const request = this.#request(hashPath);
    if (isQuick(source, numBytes)) return readPlanBody(source.value, request);
    const { thread } = this.#deps.intake;
    return thread.run('readPlan', { ...source, request }, buffersOf(source));
  }

  /** Reads a TPU job, likewise. */
  async readTpuJob(
    { source, numBytes }: SizedBody,
    hashPath: string | undefined,
  ): Promise<ReadWork<ReadTpuJob>> {
    const request = this.#request(hashPath);
    if (isQuick(source, numBytes)) return readTpuJobBody(source.value, request);
    const { thread } = this.#deps.intake;
    return thread.run('readTpuJob', { ...source, request }, buffersOf(source));
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

function isQuick(source: BodySource, numBytes: number): source is { readonly value: unknown } {
  return numBytes <= QUICK_BODY_BYTES && 'value' in source && !holdsProgram(source.value);
}

/** Whether anything in the value is called `qasm`; it is not nested deeply. */
function holdsProgram(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value) && Object.hasOwn(value, 'qasm')) return true;
  return Object.values(value).some(holdsProgram);
}
