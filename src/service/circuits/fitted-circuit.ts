/** Circuits fitted to devices. Fitting takes long; bodies that need it are read in a process. */
import { type Circuit, type DynamicCircuit, isStatic } from '../../circuit/circuit.ts';
import { type FittedCircuit, fitCircuit, fitState } from '../../compiler/device/fit-circuit.ts';
import { gateFigures } from '../../compiler/report.ts';
import type { DeviceSpec, Fitting } from '../../fleet/processor.ts';
import { Chance } from '../../workloads/algorithms/chance.ts';

/** Number of the random stream of layouts. */
const LAYOUT_STREAM = 200;
/** Seed of the layouts of compiled circuits, and of those on emulated devices, so that both are the same. */
export const FIXED_LAYOUT_SEED = 0;

/** Makes the random source of a layout: the same numbers each time. */
export function layoutSource(seed: number): () => () => number {
  return () => {
    const chance = new Chance(seed, LAYOUT_STREAM);
    return () => chance.uniform();
  };
}

/**
 * Fits a circuit to a device.
 *
 * @param seed - Decides which of equally good layouts is taken.
 * @param preserve - What stays the same: the distribution of the classical bits, or the state before the last
 *   measurements as well.
 */
export function fitted(
  given: DynamicCircuit,
  device: DeviceSpec,
  seed: number,
  preserve: 'outcomes' | 'state' = 'outcomes',
): {
  readonly circuit: Circuit;
  readonly fitting: Fitting;
  readonly finalLayout: FittedCircuit['finalLayout'];
} {
  if (!isStatic(given)) throw new Error('unreachable: a dynamic circuit on a device');
  const fitAs = preserve === 'state' ? fitState : fitCircuit;
  const found = fitAs(given, device, layoutSource(seed)());
  const { circuit, initialLayout, finalLayout, numSwaps } = found;
  const fitting = { ...gateFigures(given, circuit), swaps: numSwaps, initialLayout };
  return { circuit, fitting, finalLayout };
}
