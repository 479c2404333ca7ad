/**
 * Moves measurements that nothing depends on to the end of a circuit, and takes the misreadings of their bits out of it.
 *
 * A misreading of such a bit is a confusion of the qubit: of what is reported of it, while the state stays as it is.
 */
import {
  assignedBits,
  type DynamicCircuit,
  type DynamicOperation,
  type MeasureOperation,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import type { ReadoutConfusion } from '../program.ts';

/** A circuit, and the readout of its last measurements. */
export interface WithReadout {
  readonly circuit: DynamicCircuit;
  /** In the order in which they happen. */
  readonly readout: readonly ReadoutConfusion[];
}

/** Takes the readout out of a circuit; assignments at its end stay at its end. */
export function withReadout(circuit: DynamicCircuit): WithReadout {
  const used = new UsedLater();
  const kept: DynamicOperation[] = [];
  const last: MeasureOperation[] = [];
  const readout: ReadoutConfusion[] = [];
  /** Misreadings that no operation but assignments at the end depends on, the last one first. */
  let misreads: (DynamicOperation & { readonly kind: 'misread' })[] = [];
  const assignments: DynamicOperation[] = [];
  const keepMisreads = (bits: readonly Bit[]) => {
    const [those, others] = parted(misreads, (misread) =>
      misread.bits.some((b) => bits.includes(b)),
    );
    misreads = others;
    for (const misread of those) {
      kept.push(misread);
      used.add(misread);
    }
  };
  for (const operation of circuit.operations.toReversed()) {
    if (operation.kind === 'barrier') {
      kept.push(operation);
      continue;
    }
    if (operation.kind === 'assign' && kept.length === 0 && misreads.length === 0) {
      if (last.length === 0) {
        assignments.push(operation);
        continue;
      }
    }
    if (operation.kind === 'misread' && operation.condition === undefined) {
      if (operation.bits.every((bit) => !used.bits.has(bit))) {
        misreads.push(operation);
        continue;
      }
    } else if (operation.kind === 'measure' && operation.condition === undefined) {
      const { qubits, bits } = operation;
      const isLast =
        qubits.every((qubit) => !used.qubits.has(qubit)) &&
        bits.every((bit) => !used.bits.has(bit));
      if (isLast) {
        const own = misreads.filter((misread) => misread.bits.some((bit) => bits.includes(bit)));
        for (const { bits: read, p1Given0, p0Given1 } of own.toReversed()) {
          for (const bit of read) {
            const i = bits.indexOf(bit);
            if (i >= 0) readout.push({ qubit: qubits[i]!, p1Given0, p0Given1 });
          }
        }
        misreads = misreads.flatMap((misread) => {
          const left = misread.bits.filter((bit) => !bits.includes(bit));
          return left.length === 0 ? [] : [{ ...misread, bits: left }];
        });
        last.push(operation);
        used.add(operation);
        continue;
      }
      keepMisreads(bits);
    } else if (operation.kind === 'assign' || operation.kind === 'while') {
      keepMisreads(misreads.flatMap(({ bits }) => bits));
    }
    kept.push(operation);
    used.add(operation);
  }
  // Of bits that nothing has written.
  kept.push(...misreads);
  const operations = [...kept.reverse(), ...last.reverse(), ...assignments.reverse()];
  return { circuit: { ...circuit, operations }, readout };
}

/** Qubits and bits of the operations after the current one. */
class UsedLater {
  readonly qubits = new Set<Qubit>();
  readonly bits = new Set<Bit>();

  add(operation: DynamicOperation): void {
    for (const bit of operation.kind === 'barrier' ? [] : (operation.condition?.bits ?? [])) {
      this.bits.add(bit);
    }
    switch (operation.kind) {
      case 'while':
        for (const each of operation.body) this.add(each);
        return;
      case 'assign':
        for (const bit of assignedBits(operation)) this.bits.add(bit);
        return;
      case 'misread':
        for (const bit of operation.bits) this.bits.add(bit);
        return;
      case 'measure':
        for (const bit of operation.bits) this.bits.add(bit);
        break;
      default:
    }
    for (const qubit of operationQubits(operation)) this.qubits.add(qubit);
  }
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
