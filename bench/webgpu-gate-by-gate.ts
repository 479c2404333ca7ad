/**
 * A program in which every operation of a circuit has a sweep of its own: the engine's kernels as
 * they would be without passes, fusion and scheduling. What the schedule saves is measured on it.
 */
import type { Circuit, Qubit } from '../src/circuit/circuit.ts';
import { targetMatrix } from '../src/circuit/operation-matrix.ts';
import { formOf } from '../src/compiler/block.ts';
import { reachOf } from '../src/compiler/exchange-plan.ts';
import { MatrixPool } from '../src/compiler/matrix-pool.ts';
import type { Program, Step, TargetProfile } from '../src/compiler/program.ts';
import { hashProgram } from '../src/compiler/program-hash.ts';
import { kernelOf } from '../src/compiler/schedule.ts';

/**
 * Puts each operation into a sweep. Qubits stay where they are, but for those beyond a tile's reach,
 * which an exchange brings near when a gate moves them.
 *
 * @param circuit - Of gates and unitaries: what measures is no gate.
 */
export function gateByGateProgram(circuit: Circuit, target: TargetProfile): Program {
  const { numQubits } = circuit;
  const reach = reachOf(target);
  const lowest = range(Math.min(numQubits, target.contiguousQubits));
  const pool = new MatrixPool();
  const steps: Step[] = [];
  const placeOf = range(numQubits);
  for (const operation of circuit.operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') {
      throw new Error(`gate by gate runs gates, not a ${operation.kind}`);
    }
    const form = formOf(targetMatrix(operation));
    if (form === undefined) continue;
    const moved = form.kind === 'diagonal' ? [] : operation.targets;
    const pairs = nearPairs(moved, placeOf, reach);
    if (pairs.length > 0) steps.push({ kind: 'exchange', pairs });
    const { targets, controls } = operation;
    const kernel = kernelOf({ form, targets, controls }, placeOf, pool);
    const resident = [...new Set([...lowest, ...moved.map((qubit) => placeOf[qubit]!)])];
    steps.push({ kind: 'sweep', resident: resident.sort((a, b) => a - b), kernels: [kernel] });
  }
  const matrices = pool.entries();
  const unhashed = { numQubits, numBits: 0, steps, matrices, finalLayout: placeOf };
  return { hash: hashProgram(unhashed), ...unhashed };
}

/**
 * Exchanges far qubits with the highest near ones that the gate does not move, and records the
 * exchange.
 */
function nearPairs(moved: readonly Qubit[], placeOf: Qubit[], reach: number) {
  const pairs: (readonly [far: Qubit, near: Qubit])[] = [];
  for (const qubit of moved) {
    const far = placeOf[qubit]!;
    if (far < reach) continue;
    const places = moved.map((other) => placeOf[other]!);
    const near = range(reach).findLast((place) => !places.includes(place));
    const other = placeOf.indexOf(near ?? -1);
    if (near === undefined || other < 0) throw new Error('no near qubit is free');
    pairs.push([far, near]);
    placeOf[qubit] = near;
    placeOf[other] = far;
  }
  return pairs;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

/**
 * Repeats an H, each in a sweep of its own over the whole state, to measure a sweep with one gate.
 * Empty sweeps come first until all memory has been written, because the engine skips unwritten
 * memory.
 *
 * @param qubit - A qubit inside one buffer.
 */
export function repeatedHadamards(
  target: TargetProfile,
  numQubits: number,
  qubit: Qubit,
  count: number,
): Program {
  const h = { kind: 'gate', gate: 'H', controls: [], targets: [qubit], angles: [] } as const;
  const operations = Array.from({ length: count }, () => h);
  const { steps, ...program } = gateByGateProgram({ numQubits, numBits: 0, operations }, target);
  const { contiguousQubits, chunkQubits, tileQubits, tileChunkQubits = 0 } = target;
  const lowest = range(Math.min(numQubits, contiguousQubits));
  const writing: Step[] = [];
  for (let from = contiguousQubits; from < numQubits; ) {
    const size = from < chunkQubits ? tileQubits - contiguousQubits : tileChunkQubits;
    const end = Math.min(from + size, from < chunkQubits ? chunkQubits : numQubits, numQubits);
    const others = range(numQubits).slice(from, end);
    writing.push({ kind: 'sweep', resident: [...lowest, ...others], kernels: [] });
    from = end;
  }
  const all = { ...program, steps: [...writing, ...steps] };
  return { ...all, hash: hashProgram(all) };
}
