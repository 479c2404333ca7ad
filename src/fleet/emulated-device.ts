/**
 * A public device, emulated: it takes circuits in the device's native gates on its couplers, and the simulator runs
 * them, without the device's errors.
 *
 * Whoever checks circuits for the processor refuses those that do not fit (`spec.device`), and leaves out the qubits
 * that a circuit does not use, so that a few qubits of a large device can be simulated.
 */
import { deviceOf, type PublicDevice } from '../compiler/device/public-devices.ts';
import type {
  BatchRun,
  BatchRunResult,
  CircuitResult,
  CircuitRun,
  Processor,
  ProcessorSpec,
  RunHooks,
} from './processor.ts';
import { SimulatedProcessor } from './simulated-processor.ts';

/** An emulated device. */
export class EmulatedDevice extends SimulatedProcessor {
  readonly #id: string;
  readonly #device: PublicDevice;

  constructor(id: string, device: PublicDevice, simulator: Processor) {
    super(simulator);
    this.#id = id;
    this.#device = device;
  }

  override get spec(): ProcessorSpec {
    const { name, topology, numQubits } = this.#device;
    const { maxQubits: maxUsedQubits, stateMemory: _, ...limits } = this.simulatorSpec;
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

  override async run(
    run: CircuitRun,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    const result = await super.run(run, hooks, signal);
    return { ...result, backend: { ...result.backend, emulates: this.#device.name } };
  }

  override async runBatch(
    run: BatchRun,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<BatchRunResult> {
    const result = await super.runBatch(run, hooks, signal);
    return { ...result, backend: { ...result.backend, emulates: this.#device.name } };
  }
}
