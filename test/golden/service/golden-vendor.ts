/** A vendor of a 20-qubit device that runs at once whatever it is sent, shot by shot on the oracle of the tests. */
import { isStatic } from '../../../src/circuit/circuit.ts';
import { readOpenQasm } from '../../../src/circuit/openqasm/parse-openqasm.ts';
import { DEVICES, deviceOf } from '../../../src/compiler/device/public-devices.ts';
import type { Counts } from '../../../src/engine/engine.ts';
import { outcomeCounts } from '../../../src/hardware/outcome-counts.ts';
import type {
  DeviceDescription,
  HardwareProvider,
  VendorJob,
  VendorSubmission,
} from '../../../src/hardware/provider.ts';
import { replayShot } from '../../support/state-oracle.ts';
import { withoutIdleQubits } from '../../support/used-qubits.ts';

const SEED = 1;

/** The vendor. */
export class GoldenVendor implements HardwareProvider {
  readonly vendor = 'Vendor';
  readonly device = 'garnet';
  readonly maxCircuits = 10;
  readonly #submitted: VendorSubmission[] = [];

  async describe(): Promise<DeviceDescription> {
    return {
      name: this.device,
      device: deviceOf(DEVICES['iqm-garnet']),
      basis: 'modelled',
      source: 'a test',
      maxShots: 500,
      queueDepth: 0,
    };
  }

  async submit(submission: VendorSubmission): Promise<string> {
    return `vendor-job-${this.#submitted.push(submission) - 1}`;
  }

  async find(tag: string): Promise<string | undefined> {
    const found = this.#submitted.findIndex((each) => each.tag === tag);
    return found < 0 ? undefined : `vendor-job-${found}`;
  }

  async poll(): Promise<VendorJob> {
    return { status: 'completed', queueMs: 1, executionMs: 2 };
  }

  async counts(
    vendorJobId: string,
    numBits: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly Counts[]> {
    const { circuits, shots } = this.#submitted[Number(vendorJobId.split('-').at(-1))]!;
    return await Promise.all(
      circuits.map((qasm, i) => outcomeCounts(outcomesOf(qasm, shots), numBits[i]!, signal)),
    );
  }

  async cancel(): Promise<void> {}

  close(): void {}
}

function outcomesOf(qasm: string, shots: number): ReadonlyMap<bigint, number> {
  const { circuit } = readOpenQasm(qasm, { maxQubits: 20, maxGates: 10_000 }, { inputs: {} });
  if (!isStatic(circuit)) throw new Error('The vendor runs static circuits.');
  const narrow = withoutIdleQubits(circuit);
  const outcomes = new Map<bigint, number>();
  for (let shot = 0; shot < shots; shot++) {
    const outcome = BigInt(`0b${replayShot(narrow, SEED, shot)}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}
