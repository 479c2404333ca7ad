/**
 * Job ids: a prefix that names the kind, and a UUIDv7 without dashes.
 *
 * The UUID starts with the time and a counter within the millisecond, so ids of one kind sort by creation.
 * Its random part makes ids impossible to guess.
 */
import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';
import { JOB_KINDS, type JobId, type JobKind } from './job.ts';

/** Prefix of the ids of each kind. Ids are stored, so prefixes must not change. */
const PREFIXES: Readonly<Record<JobKind, string>> = {
  circuit: 'circ_',
  task: 'task_',
  tpu_job: 'tpujob_',
};

const KINDS: ReadonlyMap<string, JobKind> = new Map(
  JOB_KINDS.map((kind) => [PREFIXES[kind], kind]),
);

/** The version, 7, and the RFC's variant have fixed places. */
const JOB_ID = new RegExp(
  `^(${Object.values(PREFIXES).join('|')})[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`,
);

/** Random words, drawn from the operating system in bulk; an id needs three or four. */
const random = new Uint32Array(1024);
let numUsed = random.length;

const generator = new V7Generator({
  nextUint32() {
    if (numUsed === random.length) {
      randomFillSync(random);
      numUsed = 0;
    }
    return random[numUsed++]!;
  },
});

/** Prefix of the ids of a kind: `circ_`. */
export function jobIdPrefix(kind: JobKind): string {
  return PREFIXES[kind];
}

/** Creates an id that sorts after all ids of its kind that this process created before. */
export function newJobId(kind: JobKind): JobId {
  return PREFIXES[kind] + generator.generate().toHex();
}

/** Kind of job that an id names; undefined if the text is not a job id. */
export function jobKindOf(text: string): JobKind | undefined {
  const prefix = JOB_ID.exec(text)?.[1];
  return prefix === undefined ? undefined : KINDS.get(prefix);
}

/** True if the text has the form of a job id, of `kind` if given. */
export function isJobId(text: string, kind?: JobKind): boolean {
  const found = jobKindOf(text);
  return found !== undefined && (kind === undefined || found === kind);
}
