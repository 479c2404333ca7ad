/** Puts channels on the qubits that a circuit names for them. */
import type { NoiseOperation, Qubit } from '../circuit.ts';
import { counted, type FaultList, LIMIT_EXCEEDED } from '../errors.ts';
import type { Channel } from './channel.ts';
import type { ChannelObject } from './channel-object.ts';
import { type ReadChannel, readChannel } from './read-channel.ts';

/** Makes noise operations. A channel that comes again is read once, and its operations share it. */
export class ChannelPlacer {
  readonly #known = new Map<string, ReadChannel>();
  readonly #terms = new ChannelTerms();

  /**
   * Returns the operations of a channel on qubits: one on each qubit for a channel on one, none for a channel that
   * does nothing. Returns none after reporting faults.
   *
   * @param path - Path of the channel: `circuit[3].channel`.
   */
  place(
    object: ChannelObject,
    qubits: readonly Qubit[],
    path: string,
    faults: FaultList,
  ): readonly NoiseOperation[] {
    const found = this.#read(object, qubits.length, path, faults);
    if (found === undefined) return [];
    const { numQubits, channel } = found;
    if (numQubits !== qubits.length && numQubits !== 1) {
      const acts = `The channel acts on ${numQubits} qubits`;
      faults.add(path, `${acts}, but ${counted(qubits.length, 'qubit')} are named.`);
      return [];
    }
    if (channel === undefined) return [];
    if (numQubits === qubits.length) return [{ kind: 'noise', qubits, channel }];
    return qubits.map((qubit) => ({ kind: 'noise', qubits: [qubit], channel }));
  }

  #read(
    object: ChannelObject,
    numOperands: number,
    path: string,
    faults: FaultList,
  ): ReadChannel | undefined {
    // Text of matrices takes longer to make than the channel.
    if (object.matrices !== undefined) return this.#readNew(object, numOperands, path, faults);
    const key = `${numOperands} ${JSON.stringify(object)}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#readNew(object, numOperands, path, faults);
      if (found !== undefined) this.#known.set(key, found);
    }
    return found;
  }

  #readNew(
    object: ChannelObject,
    numOperands: number,
    path: string,
    faults: FaultList,
  ): ReadChannel | undefined {
    if (this.#terms.isFull) return undefined;
    const found = readChannel(object, numOperands, path, faults);
    this.#terms.add(found?.channel, path, faults);
    return found;
  }
}

/** Pauli strings and entries of Kraus matrices that different channels may have together; some 100 MB of memory. */
const MAX_CHANNEL_TERMS = 1_000_000;

/** Counts the terms of channels that are kept. */
export class ChannelTerms {
  #count = 0;

  /** Whether there is no room for further channels. */
  get isFull(): boolean {
    return this.#count > MAX_CHANNEL_TERMS;
  }

  /** Counts a channel, and reports that it is one too many. */
  add(channel: Channel | undefined, path: string, faults: FaultList): void {
    if (channel === undefined || this.isFull) return;
    this.#count += termsOf(channel);
    if (!this.isFull) return;
    const terms = 'Pauli strings and entries of Kraus matrices';
    const limit = `the limit is ${MAX_CHANNEL_TERMS}`;
    const message = `The channels have too many ${terms} up to this one; ${limit}.`;
    faults.add(path, message, LIMIT_EXCEEDED);
  }
}

function termsOf(channel: Channel): number {
  if (channel.kind === 'loss') return 1;
  if (channel.kind === 'pauli') return channel.errors.length;
  return channel.matrices.reduce((sum, { length }) => sum + length / 2, 0);
}
