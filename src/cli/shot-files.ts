/**
 * Files of shots that `qcs run` and `qcs submit` write: detection events, flips of observables, measurements, and the
 * reference sample, in one of Stim's formats.
 */
import { writeFile } from 'node:fs/promises';
import {
  encodeShots,
  GROUP_SHOTS,
  type ShotColumns,
  type ShotFormat,
} from '../circuit/stim/shot-formats.ts';
import type { CircuitResultFields } from '../service/circuits/circuit-schema.ts';
import { FileUnwritableError, OptionsConflictError } from './errors.ts';

/** Options that name files. */
export interface ShotFileOptions {
  readonly detectionEvents?: string;
  readonly observables?: string;
  readonly measurements?: string;
  readonly referenceSample?: string;
  readonly outFormat: ShotFormat;
}

/** Whether an option names a file. */
export const writesShots = (options: ShotFileOptions): boolean => outputsOf(options).length > 0;

function outputsOf(options: ShotFileOptions) {
  const { detectionEvents, observables, measurements, referenceSample } = options;
  return [
    ...(detectionEvents !== undefined || observables !== undefined ? ['detection_events'] : []),
    ...(measurements !== undefined ? ['measurements'] : []),
    ...(referenceSample !== undefined ? ['reference_sample'] : []),
  ];
}

/**
 * Fields of a request with the outputs of the files in its `return`, in the format that files are written from. Without a
 * `return` of its own it has no other.
 *
 * @throws {OptionsConflictError} if the format does not take the number of shots.
 */
export function withShotOutputs<
  Fields extends Readonly<Record<string, unknown>> & { readonly shots: unknown },
>(fields: Fields, options: ShotFileOptions): Fields {
  const asked = outputsOf(options);
  if (asked.length === 0) return fields;
  const { shots, return: own } = fields;
  if (options.outFormat === 'ptb64' && Number(shots) % GROUP_SHOTS !== 0) {
    const problem = `the format ptb64 takes a multiple of ${GROUP_SHOTS} shots, and not ${shots}.`;
    throw new OptionsConflictError(problem);
  }
  const outputs = [...new Set([...(Array.isArray(own) ? own : []), ...asked])];
  return { ...fields, return: outputs, shot_format: 'b8' };
}

/** Fields of an answer from which files are written. */
type ShotFields = Partial<
  Pick<CircuitResultFields, 'detection_events' | 'measurements' | 'reference_sample'>
>;

/**
 * Writes the files.
 *
 * @returns The answer without what a file has.
 * @throws {FileUnwritableError}
 */
export async function writeShotFiles<Answer extends ShotFields>(
  answer: Answer,
  options: ShotFileOptions,
): Promise<Answer> {
  const {
    detection_events: events,
    measurements: measured,
    reference_sample: reference,
    ...others
  } = answer;
  const { detectionEvents, observables, measurements, referenceSample } = options;
  if (events !== undefined && writesEvents(options)) {
    const detectors = { letter: 'D', first: 0, count: events.num_detectors } as const;
    const ofLogical = {
      letter: 'L',
      first: events.num_detectors,
      count: events.num_logical_observables,
    } as const;
    const ofEvents = observables === undefined ? [detectors, ofLogical] : [detectors];
    await write(detectionEvents, events, ofEvents, options);
    await write(observables, events, [ofLogical], options);
  }
  for (const [path, bits] of [
    [measurements, measured],
    [referenceSample, reference],
  ] as const) {
    const columns = { letter: 'M', first: 0, count: bits?.num_bits ?? 0 } as const;
    if (bits !== undefined) await write(path, bits, [columns], options);
  }
  // The cast is safe: what is left out may be absent.
  return {
    ...others,
    ...(events !== undefined && !writesEvents(options) && { detection_events: events }),
    ...(measured !== undefined && measurements === undefined && { measurements: measured }),
    ...(reference !== undefined &&
      referenceSample === undefined && { reference_sample: reference }),
  } as Answer;
}

const writesEvents = ({ detectionEvents, observables }: ShotFileOptions) =>
  detectionEvents !== undefined || observables !== undefined;

async function write(
  path: string | undefined,
  { bytes_per_shot: bytesPerShot = 0, data }: { bytes_per_shot?: number | undefined; data: string },
  columns: readonly ShotColumns[],
  { outFormat }: ShotFileOptions,
): Promise<void> {
  if (path === undefined) return;
  const rows = Buffer.from(data, 'base64');
  const numShots = bytesPerShot === 0 ? 0 : rows.length / bytesPerShot;
  const bytes = encodeShots({ numShots, bytesPerShot, rows, columns }, outFormat);
  try {
    await writeFile(path, bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FileUnwritableError(path, why, { cause: error });
  }
}
