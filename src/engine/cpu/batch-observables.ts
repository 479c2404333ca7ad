/** The observables of a batch in shared memory; see assembly/batch-observables.ts. */
import { bitOf, type PauliSum } from '../../circuit/observable.ts';
import {
  groupPaulis,
  operatorFactors,
  type PauliGroup,
  type PauliGroups,
} from '../pauli-groups.ts';
import { ScratchPlan } from './command.ts';
import {
  type PauliGeometry,
  type PauliPlan,
  planPaulis,
  visitFactor,
  writePauliPlan,
} from './pauli-plan.ts';
import type { Precision } from './precision.ts';

const USE_BYTES = 16;
const OBSERVABLE_BYTES = 12;
/** Estimated duration of visiting a pair of amplitudes of a bundle, nanoseconds. */
const NS_PER_PAIR = 1;

/** Observables that are planned, to be written anywhere. */
export interface BatchObservables {
  /** Room that they take. */
  readonly bytes: number;
  /** Estimated time to evaluate them for a bundle, nanoseconds. */
  readonly bundleNs: number;
  /**
   * Writes them.
   *
   * @param at - A multiple of 16.
   * @returns The fields of a batch command from the number of observables on, but for the address of
   *   the variances.
   */
  write(memory: SharedArrayBuffer, at: number): BatchObservableFields;
}

/** Addresses of the written tables. */
export interface BatchObservableFields {
  readonly groups: number;
  readonly endOfGroups: number;
  readonly firstUses: number;
  readonly observables: number;
}

/** An observable by itself, for its variance. */
interface SingleObservable {
  readonly plan: PauliPlan;
  readonly factors: Float64Array;
  readonly offsets: { readonly plan: number; readonly factors: number };
}

/**
 * Plans observables on circuits whose qubits are at their own places.
 *
 * @param variances - Whether variances are requested.
 */
export function planBatchObservables(
  observables: readonly PauliSum[],
  variances: boolean,
  numQubits: number,
  { lanes }: Precision,
): BatchObservables {
  const ofState = { cellQubits: 0, blockQubits: numQubits, laneQubits: 0 };
  const geometry = { ...ofState, cellBytes: 8 * lanes, halves: true };
  const grouped = groupPaulis(observables, bitOf);
  const plan = planPaulis(grouped.groups, geometry);
  const uses = usesOf(grouped, geometry);
  const numUses = uses.reduce((sum, own) => sum + own.length, 0);
  const room = new ScratchPlan();
  const listed = room.reserve(plan.bytes);
  const firstUses = room.reserve(4 * (uses.length + 1));
  const listedUses = room.reserve(USE_BYTES * numUses);
  const fields = room.reserve(variances ? OBSERVABLE_BYTES * observables.length : 0);
  const singles = (variances ? observables : []).map((observable): SingleObservable => {
    const own = groupPaulis([observable], bitOf);
    const ownPlan = planPaulis(own.groups, { ...ofState, cellBytes: 16, halves: false });
    const factors = operatorFactors(own);
    const offsets = {
      plan: room.reserve(ownPlan.bytes),
      factors: room.reserve(8 * factors.length),
    };
    return { plan: ownPlan, factors, offsets };
  });
  const numGroups =
    grouped.groups.length + 2 * singles.reduce((n, s) => n + s.plan.groups.length, 0);
  return {
    bytes: room.bytes,
    bundleNs: numGroups * 2 ** (numQubits - 1) * NS_PER_PAIR,
    write(memory, at) {
      const endOfGroups = writePauliPlan(memory, at + listed, plan);
      writeUses(memory, uses, at + firstUses, at + listedUses);
      const words = new Uint32Array(memory, at + fields, 3 * singles.length);
      for (const [i, { plan: own, factors, offsets }] of singles.entries()) {
        const end = writePauliPlan(memory, at + offsets.plan, own);
        new Float64Array(memory, at + offsets.factors, factors.length).set(factors);
        words.set([at + offsets.plan, end, at + offsets.factors], 3 * i);
      }
      return {
        groups: at + listed,
        endOfGroups,
        firstUses: at + firstUses,
        observables: at + fields,
      };
    },
  };
}

/** The observables that a string is part of, with the factor of the kernel's sum. */
type StringUses = readonly { readonly observable: number; readonly factor: number }[];

/** @returns By string. */
function usesOf(
  { groups, numStrings, observables }: PauliGroups,
  geometry: PauliGeometry,
): readonly StringUses[] {
  const visits = new Float64Array(numStrings);
  for (const group of groups) fillStrings(visits, group, visitFactor(group, geometry));
  const uses = Array.from({ length: numStrings }, (): StringUses[number][] => []);
  for (const [observable, { strings, weights }] of observables.entries()) {
    for (const [i, string] of strings.entries()) {
      uses[string]!.push({ observable, factor: weights[i]! * visits[string]! });
    }
  }
  return uses;
}

function fillStrings(
  values: Float64Array,
  { firstString, signs }: PauliGroup,
  value: number,
): void {
  values.fill(value, firstString, firstString + signs.length);
}

function writeUses(
  memory: SharedArrayBuffer,
  uses: readonly StringUses[],
  firstUses: number,
  listed: number,
): void {
  const addresses = new Uint32Array(memory, firstUses, uses.length + 1);
  const numUses = uses.reduce((sum, own) => sum + own.length, 0);
  const view = new DataView(memory, listed, USE_BYTES * numUses);
  let next = 0;
  for (const [string, own] of uses.entries()) {
    addresses[string] = listed + next;
    for (const { observable, factor } of own) {
      view.setUint32(next, observable, true);
      view.setFloat64(next + 8, factor, true);
      next += USE_BYTES;
    }
  }
  addresses[uses.length] = listed + next;
}
