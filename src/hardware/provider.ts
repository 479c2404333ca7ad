/** Interface of a hardware provider: a vendor's device, and jobs on it. */
import type { Device } from '../compiler/device/device.ts';
import type { Counts } from '../engine/engine.ts';
import type { Basis, Calibration } from '../fleet/processor.ts';

/** A device as its vendor describes it now. */
export interface DeviceDescription {
  /** The vendor's name of the device. */
  readonly name: string;
  readonly device: Device;
  readonly basis: Basis;
  /** Source of the description. */
  readonly source: string;
  readonly maxShots: number;
  /** Why the device takes no jobs; undefined while it does. */
  readonly reason?: string;
  /** Jobs that wait for the device, at the vendor. */
  readonly queueDepth?: number;
  readonly calibration?: Calibration;
}

/** A job for a vendor. */
export interface VendorSubmission {
  /** One to `maxCircuits` circuits: OpenQASM 3 in native gates, the device's qubits and one register `c` of bits. */
  readonly circuits: readonly string[];
  /** Shots of each circuit. */
  readonly shots: number;
  /** Names the job at the vendor, so that it can be found again; unique, at most 40 characters. */
  readonly tag: string;
}

/** State of a vendor's job. Times are milliseconds, absent where the vendor does not tell them. */
export type VendorJob =
  | { readonly status: 'queued'; readonly position?: number }
  | { readonly status: 'running' }
  | { readonly status: 'completed'; readonly queueMs?: number; readonly executionMs?: number }
  | { readonly status: 'failed' | 'cancelled'; readonly reason?: string };

/**
 * A vendor. Its methods throw an UpstreamError where the vendor cannot be reached or is overloaded, which may pass; an
 * UpstreamRefusedError where it blames the request, which will not; and the signal's reason, soon after it aborts.
 */
export interface HardwareProvider {
  /** Name for messages: `IBM Quantum`. */
  readonly vendor: string;
  /** The vendor's name of the device. */
  readonly device: string;
  /** Most circuits of one job. */
  readonly maxCircuits: number;
  describe(signal: AbortSignal): Promise<DeviceDescription>;
  /** Submits a job and returns the vendor's id for it. */
  submit(submission: VendorSubmission, signal: AbortSignal): Promise<string>;
  /** Id of the job with a tag; undefined if the vendor has none. */
  find(tag: string, signal: AbortSignal): Promise<string | undefined>;
  poll(vendorJobId: string, signal: AbortSignal): Promise<VendorJob>;
  /**
   * Counts of each circuit of a completed job, in the bits of its register `c`.
   *
   * @param numBits - Length of the register of each circuit.
   */
  counts(
    vendorJobId: string,
    numBits: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly Counts[]>;
  /** Cancels a job; has no effect on one that has ended. */
  cancel(vendorJobId: string, signal: AbortSignal): Promise<void>;
  /** Closes the connections of requests in flight, which then fail. */
  close(): void;
}
