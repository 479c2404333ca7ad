/** Messages between the page and the live state's worker. Plain data. */
import type { GateObject } from '../../circuit/gate-object.ts';
import type { MatrixRows } from '../../circuit/matrix-rows.ts';
import type { StimTimeline } from '../../circuit/stim/stim-timeline.ts';
import type { DetectingRegion } from '../../compiler/clifford/detecting-regions.ts';

export type { GateAngle, GateObject } from '../../circuit/gate-object.ts';
export type { MatrixRows } from '../../circuit/matrix-rows.ts';
export type { ChannelObject } from '../../circuit/noise/channel-object.ts';
export type { StimTimeline } from '../../circuit/stim/stim-timeline.ts';
export type { DetectingRegion } from '../../compiler/clifford/detecting-regions.ts';

/** Widest circuit whose state is computed in the page. */
export const MAX_LIVE_QUBITS = 16;
/** Most entries of a circuit whose state is computed in the page: with 16 qubits they take about a second. */
export const MAX_LIVE_STEPS = 20_000;

/** A circuit as gate objects, the JSON that POST /quantum/circuits takes, not checked. */
export interface CircuitSource {
  readonly circuit: readonly unknown[];
  /** Number of qubits; by default one more than the highest qubit used. */
  readonly qubits?: number;
  /** Values by name of the inputs that angles name. */
  readonly inputs?: Readonly<Record<string, number | boolean>>;
}

/** A circuit as OpenQASM 2 or 3 text. */
export interface QasmSource {
  readonly qasm: string;
  /** Values by name of the inputs that the text declares. */
  readonly inputs?: Readonly<Record<string, number | boolean>>;
}

/** A circuit as a text in Stim's format. */
export interface StimSource {
  readonly stim: string;
  /** It has none. */
  readonly inputs?: undefined;
}

/** A circuit as a text. */
export type TextSource = QasmSource | StimSource;

/** Languages in which circuits are written. */
export type TextForm = 'openqasm2' | 'openqasm3' | 'stim';

/** A circuit to show. */
export type LiveSource = CircuitSource | TextSource;

/** Options of the state of a circuit. */
export interface ShowOptions {
  /**
   * Number of entries that have been applied: gate objects, or operations of a text. All by default. The whole circuit
   * is checked, whatever the step.
   */
  readonly step?: number;
  /** Seed of the trajectory, 0 to 2^53 − 1; 0 by default. Another seed draws other outcomes. */
  readonly seed?: number;
  /** Two qubits whose density matrix is wanted. */
  readonly pair?: readonly [number, number];
  /** Qubits whose Bloch vectors are wanted, each after a number of entries. */
  readonly displays?: readonly {
    readonly id: number;
    readonly qubit: number;
    readonly step: number;
  }[];
}

/** One drawn course of a circuit whose state depends on chance. */
export interface Trajectory {
  readonly seed: number;
  /**
   * Value of each classical bit of the circuit after the step; null if nothing has written it. Every measurement up to
   * the step has been made, and the state is the one after them.
   */
  readonly bits: readonly (0 | 1 | null)[];
}

/** The state after a step. Qubit 0 is the least significant bit of a basis index. */
export interface LiveState {
  readonly kind: 'state';
  readonly numQubits: number;
  /** Number of classical bits of the whole circuit. */
  readonly numBits: number;
  /** Number of entries that have been applied. */
  readonly step: number;
  /** Number of entries of the circuit. */
  readonly numSteps: number;
  /** Interleaved re, im; length 2·2^numQubits; the global phase is exact. */
  readonly amplitudes: Float64Array<ArrayBuffer>;
  /** Length 2^numQubits. */
  readonly probabilities: Float64Array<ArrayBuffer>;
  /** Bloch vectors x, y, z of qubit 0, 1, …; length 3·numQubits. Shorter than 1 where a qubit is entangled. */
  readonly bloch: Float64Array<ArrayBuffer>;
  /** Bloch vectors x, y, z of the displays, in their order; length 3 times their number. Present if there are any. */
  readonly displays?: Float64Array<ArrayBuffer>;
  /** Present if a pair was asked for. */
  readonly pair?: PairDensity;
  /**
   * Present if the whole circuit has noise, a reset, a condition, a loop, or a gate after a measurement of its qubit.
   * The state is then that of one drawn course of the circuit. Where it is absent, the state is the one before all
   * measurements, as `statevector` of the service.
   */
  readonly trajectory?: Trajectory;
  /** Milliseconds that the worker took, from reading the circuit to the views. */
  readonly computeMs: number;
}

/** Reduced density matrix of two qubits. */
export interface PairDensity {
  readonly qubits: readonly [number, number];
  /** 4×4, row-major, interleaved re, im; length 32. Bit 0 of an index is `qubits[0]`, bit 1 is `qubits[1]`. */
  readonly density: Float64Array<ArrayBuffer>;
}

/** Answer for a valid circuit with more qubits or entries than are computed in the page. */
export interface TooLarge {
  readonly kind: 'too-large';
  readonly numQubits: number;
  readonly maxQubits: number;
  readonly numSteps: number;
  readonly maxSteps: number;
}

/** One fault, as in `error.details` of the service's answer. */
export interface LiveFault {
  /** `circuit[3].qubit`, `inputs.theta`, `qasm`, or empty. */
  readonly path: string;
  readonly message: string;
  readonly code: string;
}

/** Answer for a circuit that the service would refuse, for the same reasons. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: string;
  readonly message: string;
  /** At least one, at most 20. */
  readonly faults: readonly LiveFault[];
  /** Position of a fault in a text; both count from 1, columns in UTF-16 units. */
  readonly position?: { readonly line: number; readonly column: number };
}

/** Answer to `show`. */
export type LiveAnswer = LiveState | TooLarge | Refused;

/** A text that was read. */
export interface ParsedText {
  readonly kind: 'parsed';
  readonly qubits: number;
  /** Classical bits that are part of an outcome. */
  readonly numBits: number;
  /**
   * The gate objects of the program. Undefined if only the text describes it: if it computes with measured bits while
   * it runs (loops, assignments), or with its inputs more than angles `input · scale + offset`; in Stim's format if it
   * has anything beside gates, measurements and resets.
   */
  readonly circuit: readonly GateObject[] | undefined;
  /** A value for each input that the program declares: 1, or true. */
  readonly inputs: Readonly<Record<string, number | boolean>>;
  /** Statements that were ignored. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** A text that was written. */
export interface WrittenText {
  readonly kind: 'written';
  readonly text: string;
}

/** Matrices of the gates of a circuit. */
export interface GateMatrices {
  readonly kind: 'matrices';
  /**
   * One for each gate, in order; other entries have none. On the gate's targets, the first one least significant; that
   * of a global phase is a single number.
   */
  readonly matrices: readonly MatrixRows[];
}

/** The drawing of a text in Stim's format. */
export interface DrawnTimeline {
  readonly kind: 'timeline';
  readonly timeline: StimTimeline;
}

/** Detecting regions of a text in Stim's format at a TICK. */
export interface DetectorSlice {
  readonly kind: 'slice';
  readonly regions: readonly DetectingRegion[];
}

/** A request to the worker. */
export type LiveRequest =
  | { readonly ask: 'show'; readonly source: LiveSource; readonly options: ShowOptions }
  | { readonly ask: 'parse'; readonly source: TextSource }
  | { readonly ask: 'write'; readonly source: LiveSource; readonly form: TextForm }
  | { readonly ask: 'timeline'; readonly source: StimSource }
  | { readonly ask: 'slice'; readonly source: StimSource; readonly tick: number }
  | { readonly ask: 'matrices'; readonly source: CircuitSource };

/** Answer of the worker to a request. */
export type LiveReply =
  | LiveAnswer
  | ParsedText
  | WrittenText
  | GateMatrices
  | DrawnTimeline
  | DetectorSlice;

/** Messages to the worker. */
export interface ToWorker {
  readonly id: number;
  readonly request: LiveRequest;
}

/** Messages from the worker; `failure` is a fault of the worker itself. */
export type FromWorker =
  | { readonly id: number; readonly reply: LiveReply }
  | { readonly id: number; readonly failure: string };
