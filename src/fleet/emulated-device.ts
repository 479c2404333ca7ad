/**
 * A public device, emulated: it takes circuits in the device's native gates on its couplers, and the simulator runs
 * them, without the device's errors.
 *
 * Whoever checks circuits for the processor refuses those that do not fit (`spec.device`), and leaves out the qubits
 * that a circuit does not use, so that a few qubits of a large device can be simulated.
 */
import { deviceOf, type PublicDevice } from '../compiler/device/public-devices.ts';
import { ProcessorUnavailableError } from './errors.ts';
import type {
  Availability,
  BatchRun,
  BatchRunResult,
  CircuitResult,
  CircuitRun,
  ComingRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from './processor.ts';
import type { RunWork } from './schedule/scheduled-run.ts';

/** An emulated device. */
export class EmulatedDevice implements Processor {
  readonly #id: string;
  readonly #device: PublicDevice;
  readonly #simulator: Processor;
  #maintenance: { readonly reason: string } | undefined;

  constructor(id: string, device: PublicDevice, simulator: Processor) {
    this.#id = id;
    this.#device = device;
    this.#simulator = simulator;
  }

  get spec(): ProcessorSpec {
    const { name, topology, numQubits } = this.#device;
    const { maxQubits: maxUsedQubits, stateMemory: _, ...limits } = this.#simulator.spec;
    return {
      ...limits,
      id: this.#id,
      name: `Emulation of ${name}`,
      family: 'emulator',
      maxQubits: numQubits,
      device: {
        ...deviceOf(this.#device),
        fittedBy: 'caller',
        maxUsedQubits,
        basis: 'modelled',
        source: topology,
      },
    };
  }

  availability(): Availability {
    const health = this.#simulator.availability();
    if (this.#maintenance === undefined) return health;
    const reason = `In maintenance: ${this.#maintenance.reason}`;
    return { available: false, reason, checkedAt: health.checkedAt };
  }

  load(): ProcessorLoad {
    return this.#simulator.load();
  }

  expectedRunMs(work: RunWork): number | undefined {
    return this.#simulator.expectedRunMs(work);
  }

  queuePosition(runId: string): number | undefined {
    return this.#simulator.queuePosition(runId);
  }

  expectedStart(runId: string): number | undefined {
    return this.#simulator.expectedStart(runId);
  }

  admit(run?: ComingRun): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.#id, reason, retryAfterS);
    this.#simulator.admit(run);
  }

  withdraw(runId: string): void {
    this.#simulator.withdraw(runId);
  }

  async run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    const result = await this.#simulator.run(run, hooks, signal);
    return { ...result, backend: { ...result.backend, emulates: this.#device.name } };
  }

  async runBatch(run: BatchRun, hooks: RunHooks, signal: AbortSignal): Promise<BatchRunResult> {
    const result = await this.#simulator.runBatch(run, hooks, signal);
    return { ...result, backend: { ...result.backend, emulates: this.#device.name } };
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
  }
}
