/** Limits the memory that channels take: a depolarizing channel on six qubits is 4,095 Pauli strings. */
import { LIMIT_EXCEEDED } from '../errors.ts';
import type { FaultList } from '../fault-list.ts';
import type { Channel } from './channel.ts';

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
  if (channel.kind === 'pauli') return channel.errors.length;
  return channel.matrices.reduce((sum, { length }) => sum + length / 2, 0);
}
