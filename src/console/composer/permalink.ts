/** The circuit as a part of an address: deflated JSON, in base64url. */
import type { GateObject, QasmSource, StimSource, TextSource } from '../live-state/messages.ts';

/** A circuit that an address holds. */
export interface SharedCircuit {
  readonly qubits: number;
  readonly circuit: readonly GateObject[];
  readonly inputs?: Readonly<Record<string, number>>;
}

/** Contents of an address: gates, or a text that no gates describe. */
export type Shared = SharedCircuit | TextSource;

/** Longest text that is read. */
const MAX_CHARACTERS = 4_000_000;

/** Writes a circuit. */
export async function writeShared(shared: Shared): Promise<string> {
  const text = new Blob([JSON.stringify(shared)]);
  const packed = text.stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * Reads a circuit; its gates or its text are not checked.
 *
 * @returns Undefined if the text holds none.
 */
export async function readShared(text: string): Promise<Shared | undefined> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const json = await limited(stream);
    const shared: Partial<SharedCircuit & QasmSource & Pick<StimSource, 'stim'>> = JSON.parse(json);
    const { stim, qasm, qubits, circuit, inputs } = shared;
    if (typeof stim === 'string') return { stim };
    if (typeof qasm === 'string') return { qasm, ...(inputs !== undefined && { inputs }) };
    const isCircuit =
      Array.isArray(circuit) && circuit.every((each) => typeof each?.gate === 'string');
    if (!isCircuit || !Number.isInteger(qubits) || qubits === undefined || qubits < 1)
      return undefined;
    return { qubits, circuit, ...(inputs !== undefined && { inputs }) };
  } catch {
    return undefined;
  }
}

/** The text of a stream. An address of a few characters may unpack to far too many. */
async function limited(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of stream as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_CHARACTERS) throw new Error('too long');
  }
  return text;
}
