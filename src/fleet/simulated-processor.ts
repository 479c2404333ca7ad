/**
 * Processors whose circuits another simulator runs: `qvm` and emulated devices. They share its engines, queue and
 * self-tests.
 */

import { nativeNoiseOf, sourceOfFigures } from '../compiler/device/noise-models.ts';
import { DEVICES, type DeviceId, deviceOf } from '../compiler/device/public-devices.ts';
import { ProcessorUnavailableError } from './errors.ts';
import type {
  Availability,
  CircuitResult,
  CircuitRun,
  ComingRun,
  ExpectedRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from './processor.ts';
import type { RunWork } from './schedule/scheduled-run.ts';

/** A processor on a simulator. It has its own maintenance, and is down while its simulator is. */
export abstract class SimulatedProcessor implements Processor {
  readonly #simulator: Processor;
  #maintenance: { readonly reason: string } | undefined;

  constructor(simulator: Processor) {
    this.#simulator = simulator;
  }

  abstract get spec(): ProcessorSpec;

  /** Current description of the simulator. */
  protected get simulatorSpec(): ProcessorSpec {
    return this.#simulator.spec;
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

  expectedRun(work: RunWork): ExpectedRun | undefined {
    return this.#simulator.expectedRun(work);
  }

  queuePosition(runId: string): number | undefined {
    return this.#simulator.queuePosition(runId);
  }

  expectedStart(runId: string): number | undefined {
    return this.#simulator.expectedStart(runId);
  }

  admit(run?: ComingRun): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.spec.id, reason, retryAfterS);
    this.#simulator.admit(run);
  }

  withdraw(runId: string): void {
    this.#simulator.withdraw(runId);
  }

  async run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    return await this.#simulator.run(run, hooks, signal);
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
  }
}

/** Identity and limits of `qvm` on a simulator. */
export function qvmSpec(simulator: ProcessorSpec): ProcessorSpec {
  return { ...simulator, id: 'qvm', name: 'Quantum virtual machine', family: 'qvm' };
}

/**
 * `qvm`: runs any circuit, with noise or without, by the cheapest method that is exact for the requested outputs, on
 * the CPU's engines in double precision. The check of a submission chooses the method (`choose-method.ts`), so that
 * callers learn it before the run.
 */
export class Qvm extends SimulatedProcessor {
  override get spec(): ProcessorSpec {
    return qvmSpec(this.simulatorSpec);
  }
}

// Emulated devices, public ones and those of callers: a simulator runs circuits in the device's native gates on its
// couplers, under its noise. The check of a submission fits the circuit to the device (`spec.device`), attaches the
// noise, leaves out unused qubits, so that a few qubits of a large device can be simulated, and chooses the method.

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
