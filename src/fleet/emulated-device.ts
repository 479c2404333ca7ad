/**
 * Emulated devices, public ones and those of callers: a simulator runs circuits in the device's native gates on its couplers, under its noise.
 *
 * Whoever checks circuits for the processor fits them to the device (`spec.device`), attaches the noise, leaves out the
 * qubits that a circuit does not use, so that a few qubits of a large device can be simulated, and chooses the method.
 */
import { nativeNoiseOf, sourceOfFigures } from '../compiler/device/noise-models.ts';
import { DEVICES, type DeviceId, deviceOf } from '../compiler/device/public-devices.ts';
import type { CircuitResult, CircuitRun, Processor, ProcessorSpec, RunHooks } from './processor.ts';
import { SimulatedProcessor } from './simulated-processor.ts';

/** Id of the processor that emulates devices of callers. */
export const CALLER_DEVICE = 'emulator';

/** Identity and limits of an emulated device on a simulator. */
export function emulatedSpec(id: DeviceId, simulator: ProcessorSpec): ProcessorSpec {
  const device = DEVICES[id];
  const { name, topology, numQubits, times, date } = device;
  const { maxQubits: maxUsedQubits, stateMemory: _, ...limits } = simulator;
  return {
    ...limits,
    id: `${CALLER_DEVICE}-${id}`,
    name: `Emulation of ${name}`,
    family: 'emulator',
    maxQubits: numQubits,
    device: {
      ...deviceOf(device),
      emulation: { maxUsedQubits, noise: nativeNoiseOf(device), times },
      basis: 'modelled',
      source: `${sourceOfFigures(device)} ${topology}`,
      ...(date !== undefined && { date }),
    },
  };
}

/** Identity and limits of the processor for devices of callers, before there is one. */
export function callerDeviceSpec({ stateMemory: _, ...simulator }: ProcessorSpec): ProcessorSpec {
  return {
    ...simulator,
    id: CALLER_DEVICE,
    name: 'Emulation of a device of yours',
    family: 'emulator',
  };
}

/** An emulated device. */
export class EmulatedDevice extends SimulatedProcessor {
  readonly #id: DeviceId;
  /** Cached until the simulator's limits change: every request reads it. */
  #known: { readonly simulator: ProcessorSpec; readonly spec: ProcessorSpec } | undefined;

  constructor(id: DeviceId, simulator: Processor) {
    super(simulator);
    this.#id = id;
  }

  override get spec(): ProcessorSpec {
    const simulator = this.simulatorSpec;
    if (this.#known?.simulator !== simulator) {
      this.#known = { simulator, spec: emulatedSpec(this.#id, simulator) };
    }
    return this.#known.spec;
  }

  override async run(
    run: CircuitRun,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    const result = await super.run(run, hooks, signal);
    return { ...result, backend: { ...result.backend, emulates: DEVICES[this.#id].name } };
  }
}

/** Emulates devices that callers describe in their requests. */
export class CallerDevices extends SimulatedProcessor {
  override get spec(): ProcessorSpec {
    return callerDeviceSpec(this.simulatorSpec);
  }
}
