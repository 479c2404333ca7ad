/**
 * Batches: many circuits of one shape, each with its own angles. An item is a few bundles of LANES
 * circuits; each bundle is run from |0…0⟩ to its results in this thread's tiles.
 */
import { COEFFICIENT_BYTES } from './batch-angles';
import { runBatchProgram } from './batch-program';
import { storeExpectations, storeVariances } from './batch-observables';
import { addOutcomes, countShots, storeMasses, storeStatevectors } from './batch-readout';
import { GROUP_SHIFT, IMAG, LANES } from './vectors';

// Fields, u32 each after the command's header; the order of batch-run.ts.
const PROGRAM: usize = 32;
const END_OF_PROGRAM: usize = 36;
const NUM_QUBITS: usize = 40;
const NUM_CIRCUITS: usize = 44;
const BUNDLES_PER_ITEM: usize = 48;
const ANGLES: usize = 52;
const ANGLE_BYTES: usize = 56;
/** Bytes of a bundle's matrices, which the host computes. */
const MATRICES: usize = 60;
const MATRIX_BYTES: usize = 64;
/** Bits of the classical register; a circuit has 2^NUM_BITS probabilities and counts. */
const NUM_BITS: usize = 68;
const OUTCOMES: usize = 72;
const OFFSETS: usize = 76;
/** Addresses of results; 0 for results that are not requested. */
const PROBABILITIES: usize = 80;
const STATEVECTORS: usize = 84;
const EXPECTATIONS: usize = 88;
const COUNTS: usize = 92;
const SHOTS: usize = 96;
/** Two words for each circuit. */
const SEEDS: usize = 100;
const NUM_OBSERVABLES: usize = 104;
/** Groups of the strings of all observables, and the uses of each string. */
const GROUPS: usize = 108;
const END_OF_GROUPS: usize = 112;
const FIRST_USES: usize = 116;
/** 0 if no variance is requested. */
const VARIANCES: usize = 120;
/** Each observable by itself. */
const OBSERVABLES: usize = 124;

/** @param space - 96 bytes for each basis state and 224 more. */
export function batchItem(command: usize, item: u32, space: usize): void {
  const numCircuits = load<u32>(command, NUM_CIRCUITS);
  const circuitsPerItem = load<u32>(command, BUNDLES_PER_ITEM) * LANES;
  const end = min((item + 1) * circuitsPerItem, numCircuits);
  for (let circuit = item * circuitsPerItem; circuit < end; circuit += LANES) {
    runBundle(command, circuit, min<u32>(LANES, end - circuit), space);
  }
}

/** @param numLanes - Lanes that hold a circuit; fewer than LANES in the last bundle. */
function runBundle(command: usize, circuit: usize, numLanes: usize, space: usize): void {
  const numStates = <usize>1 << load<u32>(command, NUM_QUBITS);
  const bytes = numStates << GROUP_SHIFT;
  const state = space + COEFFICIENT_BYTES;
  const masses = state + bytes;
  for (let i: usize = 0; i < bytes; i += 16) v128.store(state + i, v128.splat<real>(0));
  v128.store(state, v128.splat<real>(1));
  const angleBytes: usize = load<u32>(command, ANGLE_BYTES);
  runBatchProgram(
    load<u32>(command, PROGRAM),
    load<u32>(command, END_OF_PROGRAM),
    state,
    <usize>load<u32>(command, ANGLES) + circuit * angleBytes,
    angleBytes,
    <usize>load<u32>(command, MATRICES) + (circuit / LANES) * <usize>load<u32>(command, MATRIX_BYTES),
    space,
    masses,
  );
  readOut(command, circuit, numLanes, state, numStates, masses);
}

function readOut(
  command: usize,
  circuit: usize,
  numLanes: usize,
  state: usize,
  numStates: usize,
  masses: usize,
): void {
  const bytes = numStates << GROUP_SHIFT;
  const scratch = masses + numStates * 8 * LANES;
  const size = <usize>1 << load<u32>(command, NUM_BITS);
  const outcomes: usize = load<u32>(command, OUTCOMES);
  const probabilities: usize = load<u32>(command, PROBABILITIES);
  const expectations: usize = load<u32>(command, EXPECTATIONS);
  const statevectors: usize = load<u32>(command, STATEVECTORS);
  const counts: usize = load<u32>(command, COUNTS);
  if (probabilities != 0) {
    storeMasses(state, bytes, masses);
    addOutcomes(masses, numStates, outcomes, probabilities + circuit * size * 8, size);
  }
  if (expectations != 0) {
    const numObservables: usize = load<u32>(command, NUM_OBSERVABLES);
    const out = expectations + circuit * numObservables * 8;
    const groups: usize = load<u32>(command, GROUPS);
    const endOfGroups: usize = load<u32>(command, END_OF_GROUPS);
    const firstUses: usize = load<u32>(command, FIRST_USES);
    storeExpectations(state, groups, endOfGroups, firstUses, out, numObservables, masses);
    const variances: usize = load<u32>(command, VARIANCES);
    if (variances != 0) {
      const to = variances + circuit * numObservables * 8;
      const observables: usize = load<u32>(command, OBSERVABLES);
      // The table is as long as the masses, and at least as two vectors of doubles and one of reals.
      const image = masses + numStates * 32;
      storeVariances(state, bytes, observables, numObservables, out, to, image, masses);
    }
  }
  if (statevectors != 0) {
    storeStatevectors(state, numStates, statevectors + circuit * numStates * 16);
  }
  if (counts == 0) return;
  const offsets: usize = load<u32>(command, OFFSETS);
  const shots = load<u32>(command, SHOTS);
  const seeds: usize = load<u32>(command, SEEDS);
  for (let lane: usize = 0; lane < numLanes; lane++) {
    countShots(
      state + (lane << alignof<real>()),
      load<i32>(command, NUM_QUBITS),
      offsets,
      outcomes,
      seeds + (circuit + lane) * 8,
      shots,
      counts + (circuit + lane) * size * 4,
      size,
      scratch,
    );
  }
}
