/** A gate of the composer's circuit. */
import type { ChannelObject, GateAngle, MatrixRows } from '../live-state/messages.ts';
import type { AngleName } from './gate-table.ts';

/** A classical condition: the gate runs if the bits, the first one least significant, have the value. */
export interface BitCondition {
  readonly bits: readonly number[];
  readonly value: number;
}

/** A gate of a circuit. */
export interface Step {
  /** Number of its own within the circuit. */
  readonly id: number;
  /** Name in the API, without the C of its controls. */
  readonly name: string;
  readonly controls: readonly number[];
  /** Controls that act while their qubit is 0. */
  readonly open?: readonly number[] | undefined;
  /** All qubits of a barrier. */
  readonly targets: readonly number[];
  /** Radians, or an input. */
  readonly angles: Readonly<Partial<Record<AngleName, GateAngle>>>;
  /** Classical bits that a measurement writes. */
  readonly bits?: readonly number[] | undefined;
  readonly condition?: BitCondition | undefined;
  readonly matrix?: MatrixRows | undefined;
  readonly channel?: ChannelObject | undefined;
}
