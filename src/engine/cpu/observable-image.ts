/** Computes O·ψ, block by block of the image; see assembly/observable-image.ts. */
import type { Qubit } from '../../circuit/circuit.ts';
import { bitOf, type PauliSum } from '../../circuit/observable.ts';
import { groupPaulis, operatorFactors } from '../pauli-groups.ts';
import type { MaybePromise } from '../state-operations.ts';
import {
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  ScratchPlan,
  type StoredState,
  stateBytes,
  writeCommand,
} from './command.ts';
import type { CommandRunner } from './command-runner.ts';
import { blockBytes, cellsOf, copyCell, pauliGeometry } from './expectation.ts';
import { planPaulis, writePauliPlan } from './pauli-plan.ts';

/** log2 of the bytes of a block; with its sums and its table it stays in the second-level cache. */
const BLOCK_SHIFT = 14;
const FIELDS = 6;

/**
 * Writes O·ψ, not normalised, over a state.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param imageAt - Address of the image, as long as the state and not the state.
 */
export function applyObservable(
  runner: CommandRunner,
  state: StoredState,
  observable: PauliSum,
  layout: readonly Qubit[],
  imageAt: number,
): MaybePromise<void> {
  const grouped = groupPaulis([observable], (qubit) => bitOf(layout[qubit]!));
  const cells = cellsOf(state);
  const isSmall = cells !== state;
  const geometry = pauliGeometry(cells, BLOCK_SHIFT, false);
  const plan = planPaulis(grouped.groups, geometry);
  const numItems = 2 ** (cells.numQubits - geometry.blockQubits);
  const scratch = new ScratchPlan();
  const command = scratch.reserve(4 * (COMMAND_HEADER_WORDS + FIELDS));
  const list = scratch.reserve(plan.bytes);
  const factors = scratch.reserve(8 * grouped.numStrings);
  const room = scratch.reserve(isSmall ? stateBytes(cells) : 0);
  const imageRoom = scratch.reserve(isSmall ? stateBytes(cells) : 0);
  return runner.withScratch(scratch.bytes, (at) => {
    const { memory } = runner;
    const end = writePauliPlan(memory, at + list, plan);
    new Float64Array(memory, at + factors, grouped.numStrings).set(operatorFactors(grouped));
    const header = { kind: COMMAND_KINDS.observableImage, numItems, perClaim: 1 };
    writeCommand(memory, at + command, header, [
      isSmall ? copyCell(memory, state, cells, at + room) : state.at,
      isSmall ? at + imageRoom : imageAt,
      ...[blockBytes(cells, geometry), at + list, end, at + factors],
    ]);
    const finish = () => {
      if (!isSmall) return;
      const bytes = new Uint8Array(runner.memory);
      bytes.copyWithin(imageAt, at + imageRoom, at + imageRoom + stateBytes(state));
    };
    const done = runner.runCommand(at + command, numItems);
    return done instanceof Promise ? done.then(finish) : finish();
  });
}
