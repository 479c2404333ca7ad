/** What is read off a state on several devices, other than draws and Pauli strings. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { BitImages } from '../../../math/bit-images.ts';
import type { QubitMasses } from '../../state-operations.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { baseOf, copyAmplitudes, logicalImages } from '../readout/final-state.ts';
import { addMasses, assertNorm } from '../readout/masses.ts';
import { settledAll } from './settled-all.ts';

/** A device with what it holds of a state; its rank is its place in a list of them. */
export interface StateShare {
  readonly context: GpuContext;
  readonly state: GpuState;
}

/** Physical qubits inside each device; those above are the bits of ranks. */
export function localQubitsOf([first]: readonly StateShare[]): number {
  if (first === undefined) throw new Error('unreachable: a state on no device');
  return first.state.numQubits;
}

/** Whether a physical qubit that tells devices apart is 1 on a device. */
export function isOneOn(rank: number, qubit: Qubit, numLocal: number): boolean {
  return ((rank >> (qubit - numLocal)) & 1) === 1;
}

/**
 * The masses of a physical qubit, devices added in the order of their ranks.
 *
 * @throws {GpuFaultError} if the buffers hold no state.
 */
export async function massesOfShares(
  shares: readonly StateShare[],
  qubit: Qubit,
): Promise<QubitMasses> {
  const numLocal = localQubitsOf(shares);
  const isInside = qubit < numLocal;
  const asked = isInside ? [{ qubit, image: 1 }] : [];
  const bins = await settledAll(
    shares.map(async ({ context, state }, rank) => {
      const own = new Float64Array(2);
      const image = !isInside && isOneOn(rank, qubit, numLocal) ? 1 : 0;
      await addMasses(context, state, asked, own, { image });
      return own;
    }),
  );
  const zero = bins.reduce((sum, own) => sum + own[0]!, 0);
  const one = bins.reduce((sum, own) => sum + own[1]!, 0);
  assertNorm(zero + one);
  return { zero, one };
}

/**
 * The amplitudes in logical order.
 *
 * @param layout - Logical qubit → physical qubit.
 * @returns Interleaved re, im; length 2·2^layout.length.
 */
export async function amplitudesOfShares(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
): Promise<Float64Array> {
  const numLocal = localQubitsOf(shares);
  const out = new Float64Array(2 * 2 ** layout.length);
  const images = logicalImages(layout, numLocal + Math.log2(shares.length));
  await settledAll(
    shares.map(async ({ context, state }, rank) => {
      const first = baseOf(images.slice(numLocal), rank);
      if (first === undefined) return;
      await copyAmplitudes(context, state, images.slice(0, numLocal), first, out);
    }),
  );
  return out;
}

/**
 * The distribution of the classical register. Devices that add to the same outcomes do so one after
 * the other, so that sums are the same each time.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param outcomeOf - Physical basis index → value of the register.
 * @returns Length 2^numBits.
 */
export async function probabilitiesOfShares(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
  outcomeOf: BitImages,
  numBits: number,
): Promise<Float64Array> {
  const numLocal = localQubitsOf(shares);
  const out = new Float64Array(2 ** numBits);
  const imaged = layout
    .map((qubit) => ({ qubit, image: outcomeOf.images[qubit] ?? 0 }))
    .filter(({ image }) => image !== 0);
  const asked = imaged.filter(({ qubit }) => qubit < numLocal);
  const ofRanks = imaged.filter(({ qubit }) => qubit >= numLocal);
  const imageOf = (rank: number) =>
    ofRanks.reduce(
      (all, { qubit, image }) => (isOneOn(rank, qubit, numLocal) ? all | image : all),
      0,
    );
  const byImage = Map.groupBy(shares.keys(), imageOf);
  await settledAll(
    [...byImage].map(async ([image, ranks]) => {
      for (const rank of ranks) {
        const { context, state } = shares[rank]!;
        await addMasses(context, state, asked, out, { image });
      }
    }),
  );
  return out;
}
