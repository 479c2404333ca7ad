/** Checks that a program keeps the promises of every program to the engine it was compiled for. */
import { reachOf } from '../../src/compiler/exchange-plan.ts';
import {
  localQubits,
  type Program,
  type Sweep,
  type TargetProfile,
} from '../../src/compiler/program.ts';

/** Breaches of the promises that engines build on; none when the program keeps them all. */
export function breaches(program: Program, target: TargetProfile): readonly string[] {
  const found: string[] = [];
  const claim: Claim = (holds, text) => holds || found.push(text);
  const local = localQubits(target, program.numQubits);
  const reach = Math.min(reachOf(target), local);
  for (const step of program.steps) {
    if (step.kind === 'exchange') {
      const places = step.pairs.flat();
      claim(new Set(places).size === places.length, 'an exchange that moves a qubit twice');
      for (const [far, near] of step.pairs) {
        const most = far >= local ? local : reach;
        claim(far >= reach && near < most, 'an exchange that is not between far and near');
      }
    }
    if (step.kind !== 'sweep') continue;
    claim(
      program.numQubits <= reach || step.resident.every((q) => q < reach),
      'a resident qubit out of reach',
    );
    claimTile(step, program, target, claim);
    for (const kernel of step.kernels) {
      if (kernel.kind === 'probe') continue;
      const { kind, targets, controls, offset } = kernel;
      const size = kind === 'dense' ? 4 ** targets.length : 2 ** targets.length;
      claim(2 * (offset + size) <= program.matrices.length, 'entries outside the pool');
      claim(!controls.some((q) => targets.includes(q)), 'a target that is its own control');
      if (kind === 'diagonal') continue;
      claim(targets.length <= target.maxDenseQubits, 'a kernel too wide');
      claim(
        targets.every((q) => step.resident.includes(q)),
        'a target not resident',
      );
    }
  }
  claim(isPermutationOf(program.finalLayout, program.numQubits), 'a layout that is no permutation');
  return found;
}

type Claim = (holds: boolean, text: string) => unknown;

function claimTile(
  { resident, kernels, store, condition }: Sweep,
  { numQubits }: Program,
  { tileQubits, contiguousQubits }: TargetProfile,
  claim: Claim,
): void {
  const lowest = Math.min(contiguousQubits, numQubits);
  claim(kernels.length > 0 || store !== undefined, 'an empty sweep');
  claim(resident.length <= tileQubits, 'more resident qubits than a tile has');
  claim(
    resident.every((q, i) => i === 0 || q > resident[i - 1]!),
    'resident qubits not ascending',
  );
  for (let q = 0; q < lowest; q++) claim(resident.includes(q), `${q} not resident`);
  if (store === undefined) return;
  claim(condition === undefined, 'a store under a condition');
  claim(
    [...store].sort((a, b) => a - b).join() === resident.join(),
    'a store that is no permutation of the resident qubits',
  );
  claim(store.join() !== resident.join(), 'a store that moves nothing');
}

function isPermutationOf(places: readonly number[], count: number): boolean {
  const sorted = [...places].sort((a, b) => a - b);
  return sorted.length === count && sorted.every((place, i) => place === i);
}
