/**
 * A public device, emulated: a simulator runs circuits in the device's native gates on its couplers, under its noise.
 *
 * Whoever checks circuits for the processor fits them to the device (`spec.device`), attaches the noise, leaves out the
 * qubits that a circuit does not use, so that a few qubits of a large device can be simulated, and chooses the method.
 */
import { nativeNoiseOf, sourceOfFigures } from '../compiler/device/noise-models.ts';
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
    const { name, topology, numQubits, times, date } = this.#device;
    const { maxQubits: maxUsedQubits, stateMemory: _, ...limits } = this.simulatorSpec;
    return {
      ...limits,
      id: this.#id,
      name: `Emulation of ${name}`,
      family: 'emulator',
      maxQubits: numQubits,
      device: {
        ...deviceOf(this.#device),
        emulation: { maxUsedQubits, noise: nativeNoiseOf(this.#device), times },
        basis: 'modelled',
        source: `${sourceOfFigures(this.#device)} ${topology}`,
        ...(date !== undefined && { date }),
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
