/**
 * What errors flip at the present point of a walk from the end of a circuit to its beginning. Each parity is then a Pauli
 * string at every point: it has a Z where an X error flips it, and an X where a Z error does.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { STABILIZER_OPS as OPS } from '../program.ts';
import { common, NONE, type Symptoms, sum } from './symptoms.ts';

/** Tables that a walk changes. A Pauli operator is a mask: bit 0 for X, bit 1 for Z. */
export class FlipTables {
  /** Flipped by an X error and by a Z error of each qubit; qubits that are left out have none. */
  readonly ofX: Symptoms[] = [];
  readonly ofZ: Symptoms[] = [];
  /** Flipped by an error of a bit's value. */
  ofBit = new Map<Bit, Symptoms>();
  /** Operations and numbers of parities that were looked at so far. */
  work = 0;

  /** Goes back through a gate of a stabilizer program; returns the parities whose strings change their sign. */
  undoGate(op: number, a: Qubit, b: Qubit): Symptoms {
    const { ofX, ofZ } = this;
    const [xa, za, xb, zb] = [ofX[a] ?? NONE, ofZ[a] ?? NONE, ofX[b] ?? NONE, ofZ[b] ?? NONE];
    this.work += 1 + xa.length + za.length + xb.length + zb.length;
    switch (op) {
      case OPS.x:
        return xa;
      case OPS.y:
        return sum(xa, za);
      case OPS.z:
        return za;
      case OPS.h:
        [ofX[a], ofZ[a]] = [za, xa];
        // Y becomes −Y.
        return common(xa, za);
      case OPS.s:
      case OPS.sdg: {
        ofX[a] = sum(xa, za);
        // S†XS = −Y and SYS† = −X.
        const ofY = common(xa, za);
        return op === OPS.s ? sum(za, ofY) : ofY;
      }
      case OPS.cx: {
        ofX[a] = sum(xa, xb);
        ofZ[b] = sum(zb, za);
        // The sign changes where X on the control meets Z on the target, and both qubits have a Y, or neither.
        const both = common(za, xb);
        return sum(both, sum(common(both, zb), common(both, xa)));
      }
      case OPS.cz: {
        ofX[a] = sum(xa, zb);
        ofX[b] = sum(xb, za);
        const both = common(za, zb);
        return sum(common(both, xa), common(both, xb));
      }
      case OPS.swap:
        [ofX[a], ofX[b]] = [xb, xa];
        [ofZ[a], ofZ[b]] = [zb, za];
        return NONE;
      default:
        throw new Error(`unreachable: an instruction ${op}`);
    }
  }

  /** What a Pauli operator on a qubit flips. */
  flippedBy(qubit: Qubit, mask: number): Symptoms {
    const ofX = (mask & 1) === 0 ? NONE : (this.ofX[qubit] ?? NONE);
    const ofZ = (mask & 2) === 0 ? NONE : (this.ofZ[qubit] ?? NONE);
    this.work += 1 + ofX.length + ofZ.length;
    return sum(ofX, ofZ);
  }

  /** Multiplies the strings of some parities by a Pauli operator on a qubit. */
  multiply(qubit: Qubit, mask: number, symptoms: Symptoms): void {
    const [ofX, ofZ] = [this.ofX[qubit] ?? NONE, this.ofZ[qubit] ?? NONE];
    this.work += 1 + ofX.length + ofZ.length + symptoms.length;
    if ((mask & 1) !== 0) this.ofZ[qubit] = sum(ofZ, symptoms);
    if ((mask & 2) !== 0) this.ofX[qubit] = sum(ofX, symptoms);
  }

  flipBit(bit: Bit, symptoms: Symptoms): void {
    const before = this.ofBit.get(bit) ?? NONE;
    this.work += 1 + before.length + symptoms.length;
    this.ofBit.set(bit, sum(before, symptoms));
  }

  /** What an error of a bit flips; the bit is then not measured yet. */
  takeBit(bit: Bit): Symptoms {
    const symptoms = this.ofBit.get(bit) ?? NONE;
    this.ofBit.delete(bit);
    return symptoms;
  }
}
