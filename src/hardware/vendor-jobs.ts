/**
 * Jobs at a vendor: submitted, followed to their ends, and cancelled.
 *
 * A job survives a restart of the service. Its state is saved before it is submitted and once its id is
 * known, so that it is followed again, and never submitted twice: in between it is looked for by its tag.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Counts } from '../engine/engine.ts';
import type { Basis, DeviceResult, DeviceRun, RunHooks, SavedRun } from '../fleet/processor.ts';
import { UpstreamError } from '../upstream/errors.ts';
import { VendorJobError, VendorResultError } from './errors.ts';
import type { HardwareProvider, VendorJob, VendorSubmission } from './provider.ts';

const MAX_CANCEL_ATTEMPTS = 6;
const MAX_RESULT_ATTEMPTS = 6;

/** A run that the vendor has. */
type SubmittedRun = SavedRun & { readonly vendorJobId: string };

/** State of a run at the vendor. */
interface VendorState {
  /** Whether the vendor may have the job. */
  mayExist: boolean;
  vendorJobId: string | undefined;
}

/** Times between requests, milliseconds. */
export interface RequestTimes {
  /** Waits between two polls of a job: the first, and the longest; they grow by half each time. */
  readonly firstPollMs: number;
  readonly longestPollMs: number;
  /** Waits before a failed request is repeated: the first, and the longest; they double each time. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

/** Times unless others are given. */
export const DEFAULT_TIMES: RequestTimes = {
  firstPollMs: 1000,
  longestPollMs: 60_000,
  firstRetryMs: 1000,
  longestRetryMs: 60_000,
};

/** Options of the vendor's jobs. */
interface VendorJobsOptions {
  readonly provider: HardwareProvider;
  readonly times: RequestTimes;
  /** Basis of the device's results. */
  readonly basis: () => Basis;
  /** Called when the vendor could not be reached, or is overloaded. */
  readonly onTrouble: () => void;
  /** Called for each fault that no caller hears of. */
  readonly onFault?: (error: unknown, vendorJobId: string) => void;
}

/** The jobs at one vendor. */
export class VendorJobs {
  readonly #options: VendorJobsOptions;
  readonly #provider: HardwareProvider;
  readonly #times: RequestTimes;
  readonly #closing = new AbortController();
  /** Position at the vendor of each job that waits there. */
  readonly #positions = new Map<string, number>();
  /** Requests that the service's end waits for: submissions under way, and cancellations. */
  readonly #unfinished = new Set<Promise<unknown>>();

  constructor(options: VendorJobsOptions) {
    this.#options = options;
    this.#provider = options.provider;
    this.#times = options.times;
  }

  /** Jobs that the vendor starts before that of a run; undefined if it does not wait there, or nobody knows. */
  positionOf(runId: string): number | undefined {
    return this.#positions.get(runId);
  }

  /**
   * Stops asking. The vendor's jobs go on.
   *
   * @param limitMs - Longest wait for submissions and cancellations under way.
   */
  async close(limitMs: number): Promise<void> {
    const timeUp = delay(limitMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#unfinished), timeUp]);
    this.#closing.abort();
  }

  /**
   * Has the vendor run circuits, or follows the job that an earlier process submitted.
   *
   * @param saved - State that an earlier process saved.
   * @param waitMs - From the run's arrival until now.
   * @throws as `Processor.runOnDevice`.
   */
  async run(
    run: DeviceRun,
    saved: SavedRun | undefined,
    waitMs: number,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<DeviceResult> {
    const state: VendorState = {
      mayExist: saved !== undefined,
      vendorJobId: saved?.vendorJobId,
    };
    try {
      const submitted =
        saved?.vendorJobId === undefined
          ? await this.#submit(run, saved, state, waitMs, signal)
          : { ...saved, vendorJobId: saved.vendorJobId };
      return await this.#follow(run, submitted, hooks, signal);
    } catch (error) {
      if (state.mayExist && signal.aborted && run.isCancelled(signal.reason)) {
        void this.#finishLater(this.#cancel(run.tag, state.vendorJobId)).catch(() => {});
      }
      throw error;
    } finally {
      this.#positions.delete(run.id);
    }
  }

  /** Submits a run's circuits, unless the vendor has it already. */
  async #submit(
    run: DeviceRun,
    earlier: SavedRun | undefined,
    state: VendorState,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<SubmittedRun> {
    const closing = this.#closing.signal;
    if (earlier !== undefined) {
      // The circuits are not fitted anew if the vendor has it: their layouts may have been others.
      const known = await this.#patiently(signal, () => this.#provider.find(run.tag, closing));
      if (known !== undefined) return await this.#submitted(run, earlier, state, known);
    }
    const { circuits, ...fitted } = await run.fit();
    const { vendor, device } = this.#provider;
    const basis = this.#options.basis();
    const numBits = circuits.map((circuit) => circuit.numBits);
    const saved: SavedRun = { ...fitted, numBits, vendor, device, basis, waitMs };
    await run.memory.save(saved);
    const texts = circuits.map(({ qasm }) => qasm);
    const submission = { circuits: texts, shots: run.shots, tag: run.tag };
    // The signal does not end a submission that is under way: the vendor may have the job by then.
    const vendorJobId = await this.#patiently(signal, () => {
      signal.throwIfAborted();
      return this.#finishLater(this.#findOrSubmit(submission, state, closing));
    });
    return await this.#submitted(run, saved, state, vendorJobId);
  }

  /** Notes and saves the id of a submitted job. */
  async #submitted(
    run: DeviceRun,
    saved: SavedRun,
    state: VendorState,
    vendorJobId: string,
  ): Promise<SubmittedRun> {
    state.vendorJobId = vendorJobId;
    const submitted = { ...saved, vendorJobId };
    try {
      await run.memory.save(submitted);
    } catch (error) {
      // After a crash it is found by its tag.
      this.#options.onFault?.(error, vendorJobId);
    }
    return submitted;
  }

  async #findOrSubmit(
    submission: VendorSubmission,
    state: VendorState,
    signal: AbortSignal,
  ): Promise<string> {
    if (state.mayExist) {
      const known = await this.#provider.find(submission.tag, signal);
      if (known !== undefined) return known;
    }
    state.mayExist = true;
    return await this.#provider.submit(submission, signal);
  }

  /** Follows a submitted job to its end. */
  async #follow(
    run: DeviceRun,
    saved: SubmittedRun,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<DeviceResult> {
    const { vendorJobId, vendor, device, basis, waitMs, fitting, fitMs } = saved;
    const ended = await this.#ended(run, saved, hooks, signal);
    const [vendorQueueMs, executionMs] = [timeOf(ended.queueMs), timeOf(ended.executionMs)];
    const counts = await this.#countsOf(saved, signal);
    for (const { occurrences } of counts) {
      const shots = occurrences.reduce((sum, count) => sum + count, 0);
      if (shots === run.shots) continue;
      const what = `it has ${shots} shots instead of ${run.shots}`;
      throw new VendorResultError(vendor, vendorJobId, what);
    }
    return {
      counts,
      fitting,
      backend: { execution: 'hardware', vendor, device, vendorJobId, basis },
      timing: {
        queueMs: waitMs + (vendorQueueMs ?? 0),
        ...(vendorQueueMs !== undefined && { vendorQueueMs }),
        fitMs,
        ...(executionMs !== undefined && { executionMs }),
      },
    };
  }

  /**
   * Fetches the counts of a completed job.
   *
   * @throws {VendorResultError} if the answer stays too large, or of another form than counts have.
   */
  #countsOf(
    { vendorJobId, vendor, numBits }: SubmittedRun,
    signal: AbortSignal,
  ): Promise<readonly Counts[]> {
    let attempt = 0;
    return this.#patiently(signal, async () => {
      try {
        return await this.#provider.counts(vendorJobId, numBits, signal);
      } catch (error) {
        const isUnreadable =
          error instanceof UpstreamError &&
          (error.fault.kind === 'wrong-shape' || error.fault.kind === 'too-large');
        if (!isUnreadable || ++attempt < MAX_RESULT_ATTEMPTS) throw error;
        throw new VendorResultError(
          vendor,
          vendorJobId,
          `it is unreadable. ${error.message.replace(/\.$/, '')}`,
        );
      }
    });
  }

  /** Waits for the completion of a submitted job. */
  async #ended(
    run: DeviceRun,
    { vendorJobId, vendor }: SubmittedRun,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<VendorJob & { readonly status: 'completed' }> {
    const { firstPollMs: firstMs, longestPollMs: longestMs } = this.#times;
    let last: VendorJob['status'] | undefined;
    for (let waitMs = firstMs; ; waitMs = Math.min(longestMs, 1.5 * waitMs)) {
      const job = await this.#patiently(signal, () => this.#provider.poll(vendorJobId, signal));
      if (job.status === 'queued' && job.position !== undefined) {
        this.#positions.set(run.id, Math.max(0, job.position));
      } else {
        this.#positions.delete(run.id);
      }
      if (job.status !== 'queued' && last !== 'running') hooks.onStarted?.();
      if (job.status === 'completed') return job;
      if (job.status === 'failed' || job.status === 'cancelled') {
        throw new VendorJobError(vendor, vendorJobId, job.status, job.reason);
      }
      // A running job ends soon.
      if (job.status === 'running' && last !== 'running') waitMs = firstMs;
      last = job.status;
      await pause(waitMs, signal);
    }
  }

  /**
   * Repeats a request for as long as the vendor cannot be reached or is overloaded.
   *
   * @throws the signal's reason, if it aborts in between; any other error.
   */
  async #patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    const { firstRetryMs, longestRetryMs } = this.#times;
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(longestRetryMs, 2 * waitMs)) {
      try {
        return await ask();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof UpstreamError)) throw error;
        this.#options.onTrouble();
        await pause(Math.max(waitMs, 1000 * (error.retryAfterS ?? 0)), signal);
      }
    }
  }

  /** Has the end of the service wait for work. */
  #finishLater<T>(work: Promise<T>): Promise<T> {
    const ended = work.catch(() => {}).finally(() => this.#unfinished.delete(ended));
    this.#unfinished.add(ended);
    return work;
  }

  /** Cancels a job of the vendor; one that was submitted without an answer is looked for first. */
  async #cancel(tag: string, vendorJobId: string | undefined): Promise<void> {
    const { signal } = this.#closing;
    for (let attempt = 1; ; attempt++) {
      try {
        const known = vendorJobId ?? (await this.#provider.find(tag, signal));
        if (known !== undefined) await this.#provider.cancel(known, signal);
        return;
      } catch (error) {
        const mayPass = error instanceof UpstreamError && attempt < MAX_CANCEL_ATTEMPTS;
        if (!mayPass) {
          this.#options.onFault?.(error, vendorJobId ?? tag);
          return;
        }
        await pause(this.#times.firstRetryMs * 2 ** (attempt - 1), signal);
      }
    }
  }
}

/** A time that a vendor tells; undefined if it cannot be one, as where the vendor's clocks differ. */
function timeOf(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 ? ms : undefined;
}

/** @throws the signal's reason, if it aborts first. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal, ref: false });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
