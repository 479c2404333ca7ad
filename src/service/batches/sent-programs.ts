/**
 * Checked programs on their way from the process that read them, in pieces.
 *
 * Circuits and observables cross packed, as text and arrays: a million gates as objects would hold the main thread for
 * a second. Their operations are read there only where values are estimated from shots.
 */
import { type PackedCircuit, packCircuit, unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { readObservables, sentObservables } from '../../fleet/workers/sent-run.ts';
import type { SentObservables } from '../../fleet/workers/worker-messages.ts';
import type { PointGroup } from '../circuits/point-groups.ts';
import type { OutputPieces } from '../http/reading/reading.ts';
import type { CheckedProgram } from './batch-program.ts';

interface SentGroup extends Omit<PointGroup, 'circuit'> {
  readonly circuit: PackedCircuit;
}

interface SentProgram extends Omit<CheckedProgram, 'groups' | 'observables'> {
  readonly observables: SentObservables;
}

/** A program with its first groups, or further groups of the program before it. */
interface Entry {
  readonly program?: SentProgram;
  readonly groups: readonly SentGroup[];
}

interface Piece<Rest> {
  /** Fields of the output beside its programs, in the first piece. */
  readonly rest?: Rest;
  readonly entries: readonly Entry[];
}

/** Groups of programs in one piece; each takes some 40 µs to clone. */
const MAX_GROUPS = 64;

/** An output that has programs. */
interface WithPrograms {
  readonly programs: readonly CheckedProgram[];
}

/** Pieces of an output that has programs. */
export function programPieces<Output extends WithPrograms>(): OutputPieces<Output> {
  type Rest = Omit<Output, 'programs'>;
  return {
    *cut({ programs, ...rest }): Generator<Piece<Rest>, void, undefined> {
      let entries: Entry[] = [];
      let room = MAX_GROUPS;
      let isFirst = true;
      const piece = () => {
        const made = { ...(isFirst && { rest }), entries };
        [isFirst, entries, room] = [false, [], MAX_GROUPS];
        return made;
      };
      for (const { groups, observables, ...fields } of programs) {
        const program = { ...fields, observables: sentObservables(observables) };
        for (let from = 0; from < groups.length; ) {
          if (room === 0) yield piece();
          const some = groups.slice(from, from + room);
          const packed = some.map((group) => ({ ...group, circuit: packCircuit(group.circuit) }));
          entries.push({ ...(from === 0 && { program }), groups: packed });
          from += some.length;
          room -= some.length;
        }
      }
      yield piece();
    },
    collect: () => {
      const programs: (CheckedProgram & { readonly groups: PointGroup[] })[] = [];
      let rest: Rest | undefined;
      return {
        add(sent) {
          // The cast is safe: `cut` made it.
          const piece = sent as Piece<Rest>;
          rest ??= piece.rest;
          for (const { program, groups } of piece.entries) {
            if (program !== undefined) {
              programs.push({
                ...program,
                observables: readObservables(program.observables),
                groups: [],
              });
            }
            const own = programs.at(-1)!.groups;
            for (const group of groups)
              own.push({ ...group, circuit: unpackCircuit(group.circuit) });
          }
        },
        get output() {
          // The cast is safe: these are all fields of an output.
          return { ...rest, programs } as unknown as Output;
        },
      };
    },
  };
}
