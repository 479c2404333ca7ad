/** The circuit as a part of an address: deflated JSON, in base64url; and as the browser keeps it. */
import type { GateObject, QasmSource, StimSource, TextSource } from '../live-state/messages.ts';
import {
  DISPLAYS,
  displaysOf,
  type EditedCircuit,
  editedCircuit,
  gateObjects,
  inputNames,
  MAX_QUBITS,
  type PlacedDisplay,
  type Step,
} from './edited-circuit.ts';
import type { TypedText, Version, Work } from './work.ts';

/** A circuit that an address holds. */
export interface SharedCircuit {
  readonly qubits: number;
  readonly circuit: readonly GateObject[];
  readonly inputs?: Readonly<Record<string, number>>;
  /** Displays of the state, which the page alone knows. */
  readonly displays?: readonly PlacedDisplay[];
}

/** Contents of an address: gates, or a text that no gates describe. */
export type Shared = SharedCircuit | TextSource;

/** Longest text that is read. */
const MAX_CHARACTERS = 4_000_000;

/** First byte of what is written, by its format. It has a checksum; addresses of older consoles have none. */
const WITH_CHECKSUM = 0x78;

/** Writes a circuit. */
export async function writeShared(shared: Shared): Promise<string> {
  const text = new Blob([JSON.stringify(shared)]);
  const packed = text.stream().pipeThrough(new CompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * Reads a circuit.
 *
 * @returns Undefined if the text holds none.
 */
export async function readShared(text: string): Promise<Shared | undefined> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const format = bytes[0] === WITH_CHECKSUM ? 'deflate' : 'deflate-raw';
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
    return sharedOf(JSON.parse(await limited(stream)));
  } catch {
    return undefined;
  }
}

/** A circuit that can be drawn, or a text, of JSON from elsewhere; undefined of other JSON. The worker checks the rest. */
export function sharedOf(json: unknown): Shared | undefined {
  const shared: Partial<SharedCircuit & QasmSource & Pick<StimSource, 'stim'>> = Object(json);
  const { stim, qasm, qubits, circuit, inputs, displays = [] } = shared;
  if (typeof stim === 'string') return { stim };
  const values = inputs === undefined ? {} : { inputs };
  if (typeof qasm === 'string') return { qasm, ...values };
  const isCircuit =
    Array.isArray(circuit) && circuit.every((each) => typeof each?.gate === 'string');
  if (!isCircuit || !isCount(qubits) || qubits === 0) return undefined;
  if (!Array.isArray(displays) || !displays.every(isPlacedDisplay)) return undefined;
  if (!isDrawable(circuit, qubits, displays)) return undefined;
  return { qubits, circuit, ...values, ...(displays.length > 0 && { displays }) };
}

function isPlacedDisplay(each: Partial<PlacedDisplay> | null): boolean {
  return (
    DISPLAYS.some((name) => name === each?.show) && isCount(each?.qubit) && isCount(each?.after)
  );
}

function isDrawable(
  circuit: readonly GateObject[],
  qubits: number,
  displays: readonly PlacedDisplay[],
): boolean {
  let edited: EditedCircuit;
  try {
    edited = editedCircuit(circuit, qubits, displays);
  } catch {
    // A number of qubits that is none.
    return false;
  }
  return edited.numQubits <= MAX_QUBITS && edited.steps.every(isDrawableStep);
}

/** The gates of a version, with the values of their inputs. */
export function gatesOf({ circuit, values }: Version): SharedCircuit {
  const named = inputNames(circuit).map((name) => [name, values?.[name] ?? 0]);
  return {
    qubits: circuit.numQubits,
    circuit: gateObjects(circuit),
    ...(named.length > 0 && { inputs: Object.fromEntries(named) }),
  };
}

/** The same with its displays: what a link and the browser's storage have. */
export function sharedGatesOf(version: Version): SharedCircuit {
  const displays = displaysOf(version.circuit);
  return { ...gatesOf(version), ...(displays.length > 0 && { displays }) };
}

/** A version as the browser's storage keeps it. */
interface KeptVersion {
  readonly gates: SharedCircuit;
  readonly text?: TypedText | undefined;
  readonly draft?: TextSource | undefined;
}

/** The work as the browser's storage keeps it. */
interface Kept extends KeptVersion {
  /** Query of the address that the edits began with: one with this query goes on with them. */
  readonly at: string;
  /** Query that it took the place of last; kept work of older consoles has none. */
  readonly before?: string;
  /** Circuits in whose place others were opened, the last one last. */
  readonly left?: readonly KeptVersion[];
}

/** Circuits in whose place others were opened that are kept. */
const MAX_LEFT = 5;

const keptVersion = (version: Version): KeptVersion => ({
  gates: sharedGatesOf(version),
  text: version.text,
  draft: version.draft?.source,
});

/**
 * Writes the work as it is kept: what is present, and the circuits in whose place others were opened.
 *
 * @param at - Query of the address that names the work.
 * @param before - Query that it took the place of.
 * @param maxLeft - Most of these, which may be too large for the storage.
 */
export function keptText(
  { past, present, draft }: Work,
  at: string,
  before: string,
  maxLeft: number = MAX_LEFT,
): string {
  const left = past.filter(({ isLeft }) => isLeft === true);
  const kept: Kept = {
    at,
    before,
    ...keptVersion({ ...present, draft }),
    left: left.slice(left.length - Math.min(left.length, maxLeft)).map(keptVersion),
  };
  return JSON.stringify(kept);
}

/** Reads kept work; undefined if a text is none. A text that is the source keeps the gates of before behind it. */
export function readKept(
  json: string,
): { readonly at: string; readonly before: string; readonly work: Work } | undefined {
  try {
    const { at, before = at, left = [], ...now }: Kept = JSON.parse(json);
    const read = versionOf(now);
    if (read === undefined) return undefined;
    const { draft, ...present } = read;
    const past = left.flatMap((each): readonly Version[] => {
      const version = versionOf(each);
      return version === undefined ? [] : [{ ...version, isLeft: true }];
    });
    const { text: _, ...drawn } = present;
    const gates = present.text?.isDrawn === false ? [drawn] : [];
    return {
      at: String(at),
      before: String(before),
      work: { past: [...past, ...gates], present, future: [], ...(draft && { draft }) },
    };
  } catch {
    return undefined;
  }
}

function versionOf({ gates, text, draft }: KeptVersion): Version | undefined {
  const read = sharedOf(gates);
  if (read === undefined || !('circuit' in read)) return undefined;
  return {
    circuit: editedCircuit(read.circuit, read.qubits, read.displays),
    values: read.inputs,
    ...(text !== undefined && { text }),
    ...(draft && { draft: { source: draft } }),
  };
}

function isDrawableStep({ controls, targets, bits = [], angles, condition }: Step): boolean {
  const numbers = [...controls, ...targets, ...bits, ...(condition?.bits ?? [])];
  const isAngle = (angle: unknown) =>
    typeof angle === 'number' || typeof Reflect.get(Object(angle), 'input') === 'string';
  return numbers.every(isCount) && Object.values(angles).every(isAngle);
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

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
