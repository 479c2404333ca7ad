/**
 * Compiles a circuit with noise to be run as a sample of trajectories.
 *
 * The circuit is divided into sections of gates and noise (`NoiseSection`), and steps between them. A part of a section
 * in which nothing random happens is an ordinary program, compiled when a run first needs it: `section-programs.ts`.
 */
import {
  type DynamicCircuit,
  type DynamicOperation,
  notByStabilizers,
  numRegisterBits,
} from '../../circuit/circuit.ts';
import { optimize } from '../passes/pipeline.ts';
import type {
  NoiseSection,
  Sweep,
  TargetProfile,
  TrajectoryProgram,
  TrajectoryStep,
} from '../program.ts';
import { type CompilationReport, reportOn } from '../report.ts';
import { lastReadings } from './last-readings.ts';
import {
  type SectionOperation,
  SegmentCompiler,
  type SegmentPrograms,
  sectionOf,
} from './section-programs.ts';

/** A program, and the report on it. */
export interface CompiledTrajectories {
  readonly program: TrajectoryProgram;
  /** Counts the gates between the sites of noise, and the sweeps of a trajectory without jumps. */
  readonly report: CompilationReport;
}

/**
 * Compiles a circuit for trajectories.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than `target.maxDenseQubits`.
 */
export function compileTrajectories(
  circuit: DynamicCircuit,
  target: TargetProfile,
): CompiledTrajectories {
  const { numQubits } = circuit;
  const compiler = new SegmentCompiler(numQubits, numRegisterBits(circuit), target);
  const program = trajectoryProgram(circuit, compiler);
  // A trajectory without jumps takes these programs, so the ones that are most often needed are compiled at once.
  const whole = program.steps.flatMap((step) =>
    step.kind === 'section' ? step.segment(0, step.sites.length + 1).steps : [],
  );
  const optimized = optimize(circuit, { keepState: true });
  const scheduled = { program: { steps: whole }, fusedBlocks: compiler.fusedBlocks };
  return { program, report: reportOn(circuit, optimized, scheduled, target.precision) };
}

/** The sections of a circuit and the steps between them; the programs of sections are compiled when they are asked for. */
export function trajectoryProgram(
  circuit: DynamicCircuit,
  compiler: SegmentPrograms,
): TrajectoryProgram {
  const { numQubits, numBits, control } = circuit;
  const { operations, measures, misreads, assignments } = lastReadings(circuit.operations);
  return {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    steps: stepsOf(operations, (gathered, isFirst) => [sectionOf(gathered, compiler, isFirst)]),
    lastMeasures: measures,
    lastMisreads: misreads,
    lastAssignments: assignments,
    rescaling: compiler.rescaling(),
  };
}

/** A step that is no run of gates and noise. */
type OtherStep = Exclude<TrajectoryStep, NoiseSection>;

/** What a run of gates and noise between other operations becomes; the first one of a circuit begins in |0…0⟩. */
type StepsOfGates<Step> = (
  gathered: readonly SectionOperation[],
  isFirst: boolean,
) => readonly Step[];

/** The steps of a circuit whose control is written out as jumps among them. */
export function stepsOf<Step extends NoiseSection | Sweep>(
  operations: readonly DynamicOperation[],
  stepsOfGates: StepsOfGates<Step>,
  isFirst = true,
): readonly (OtherStep | Step)[] {
  const steps: (OtherStep | Step)[] = [];
  let gathered: SectionOperation[] = [];
  const finish = () => {
    const hasWork = gathered.some(({ kind }) => kind !== 'barrier');
    if (hasWork) steps.push(...stepsOfGates(gathered, isFirst && steps.length === 0));
    gathered = [];
  };
  for (const operation of operations) {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
      case 'noise':
      case 'barrier':
        gathered.push(operation);
        break;
      case 'initialize': {
        finish();
        const { kind, state, qubits } = operation;
        steps.push({ kind, state, places: qubits });
        break;
      }
      case 'save':
      case 'measure':
      case 'reset':
      case 'misread':
      case 'assign':
        finish();
        steps.push(operation);
        break;
      case 'while': {
        finish();
        const head = steps.length;
        const inside = stepsOf(operation.body, stepsOfGates, false).map((step) =>
          movedBy(head + 1, step),
        );
        const { condition } = operation;
        steps.push({ kind: 'loop', condition, end: head + inside.length + 2 }, ...inside);
        steps.push({ kind: 'again', head });
        break;
      }
      case 'track':
      case 'repeat':
        throw notByStabilizers(operation);
    }
  }
  finish();
  return steps;
}

/** A step whose jumps are to steps that were moved. */
function movedBy<Step extends NoiseSection | Sweep>(
  by: number,
  step: OtherStep | Step,
): OtherStep | Step {
  if (step.kind === 'loop') return { ...step, end: step.end + by };
  return step.kind === 'again' ? { ...step, head: step.head + by } : step;
}
