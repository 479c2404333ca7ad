/**
 * Walks through a program from its end to its beginning with up to 32 Pauli strings side by side. What a string is
 * before a step is what an error there is compared with: one that anticommutes with it changes its sign.
 *
 * Expectation values follow from this without a state, and so does the distribution of few bits. It serves programs
 * without conditions, loops and resets by chance (`isLinear`).
 */
import { STABILIZER_OPS, type StabilizerProgram } from '../../compiler/program.ts';
import type { TimeSlicer } from '../time-slicer.ts';

const ops = STABILIZER_OPS;

/** Pauli strings that a walk takes at once. */
export const LANES = 32;

/** Callbacks at some steps of a walk. Words have one bit a string. */
export interface BackwardVisitor {
  /** Strings that anticommute with Z on a qubit that is measured; before the measurement itself counts. */
  measured(anticommuting: number, place: number): void;
  /** Strings that anticommute with Z on a qubit that was reset. */
  reset(anticommuting: number): void;
  /** A channel, and a function that gives the strings that anticommute with one of its errors. */
  noise(channel: number, anticommutingWith: (flips: number, signs: number) => number): void;
}

/** Whether shots depend on measured bits nowhere, so that everything follows from Pauli strings one by one. */
export function isLinear({ code, numBodyInstructions, reference }: StabilizerProgram): boolean {
  if (reference !== 'shared') return false;
  for (let i = 0; i < numBodyInstructions; i++) if (code[4 * i]! >= ops.maybeReset) return false;
  return true;
}

/** Up to 32 Pauli strings. */
export class BackwardWalk {
  readonly #program: StabilizerProgram;
  /** By qubit: strings with X or Y there. */
  readonly flips: Int32Array;
  /** By qubit: strings with Z or Y there. */
  readonly signs: Int32Array;
  /** Strings with a minus. */
  negative = 0;

  constructor(program: StabilizerProgram) {
    this.#program = program;
    this.flips = new Int32Array(program.numQubits);
    this.signs = new Int32Array(program.numQubits);
  }

  /** Walks from before instruction `from` to the beginning. */
  async run(from: number, visitor: BackwardVisitor, slicer: TimeSlicer): Promise<void> {
    const { code } = this.#program;
    for (let place = from - 1; place >= 0; place--) {
      const at = 4 * place;
      const [op, a, b, c] = [code[at]!, code[at + 1]!, code[at + 2]!, code[at + 3]!];
      if (op <= ops.swap) this.#gate(op, a, b);
      else this.#other(op, a, b, c, place, visitor);
      const isNoise = op >= ops.noise1 && op <= ops.noise;
      const units = isNoise ? 32 * this.#program.channels[a]!.errors.length : 8;
      if (slicer.spend(units)) await slicer.pause();
    }
  }

  #other(
    op: number,
    a: number,
    b: number,
    c: number,
    place: number,
    visitor: BackwardVisitor,
  ): void {
    switch (op) {
      case ops.measure:
        visitor.measured(this.flips[a]!, place);
        break;
      case ops.reset:
        visitor.reset(this.flips[a]!);
        this.flips[a] = 0;
        this.signs[a] = 0;
        break;
      case ops.noise1:
        this.#noise(a, [b], visitor);
        break;
      case ops.noise2:
        this.#noise(a, [b, c], visitor);
        break;
      case ops.noise:
        this.#noise(a, this.#program.operands.subarray(b, b + c), visitor);
        break;
    }
  }

  #noise(channel: number, qubits: ArrayLike<number>, visitor: BackwardVisitor): void {
    let touched = 0;
    for (let i = 0; i < qubits.length; i++) {
      touched |= this.flips[qubits[i]!]! | this.signs[qubits[i]!]!;
    }
    if (touched === 0) return;
    visitor.noise(channel, (flips, signs) => {
      let anticommuting = 0;
      for (let i = 0; i < qubits.length; i++) {
        if (((flips >> i) & 1) === 1) anticommuting ^= this.signs[qubits[i]!]!;
        if (((signs >> i) & 1) === 1) anticommuting ^= this.flips[qubits[i]!]!;
      }
      return anticommuting;
    });
  }

  /** P → U†·P·U. */
  #gate(op: number, a: number, b: number): void {
    const { flips, signs } = this;
    const [xa, za] = [flips[a]!, signs[a]!];
    switch (op) {
      case ops.x:
        this.negative ^= za;
        break;
      case ops.y:
        this.negative ^= xa ^ za;
        break;
      case ops.z:
        this.negative ^= xa;
        break;
      case ops.h:
        this.negative ^= xa & za;
        flips[a] = za;
        signs[a] = xa;
        break;
      case ops.s:
        this.negative ^= xa & ~za;
        signs[a] = za ^ xa;
        break;
      case ops.sdg:
        this.negative ^= xa & za;
        signs[a] = za ^ xa;
        break;
      case ops.cx: {
        const [xb, zb] = [flips[b]!, signs[b]!];
        this.negative ^= xa & zb & ~(xb ^ za);
        flips[b] = xb ^ xa;
        signs[a] = za ^ zb;
        break;
      }
      case ops.cz: {
        const [xb, zb] = [flips[b]!, signs[b]!];
        this.negative ^= xa & xb & (za ^ zb);
        signs[a] = za ^ xb;
        signs[b] = zb ^ xa;
        break;
      }
      case ops.swap:
        flips[a] = flips[b]!;
        signs[a] = signs[b]!;
        flips[b] = xa;
        signs[b] = za;
        break;
    }
  }
}
