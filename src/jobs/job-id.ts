/**
 * Job ids: a prefix that names the kind and a UUIDv7 without dashes.
 *
 * The UUID begins with the time and counts within a millisecond, so ids of one kind sort by the moment in
 * which they were drawn. Its random part makes ids impossible to guess.
 */
import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';
import { JOB_KINDS, type JobId, type JobKind } from './job.ts';

/** Prefix of the ids of each kind. Both are stored: neither changes. */
const PREFIXES: Readonly<Record<JobKind, string>> = {
  circuit: 'circ_',
  task: 'task_',
  tpu_job: 'tpujob_',
};

const KINDS: ReadonlyMap<string, JobKind> = new Map(
  JOB_KINDS.map((kind) => [PREFIXES[kind], kind]),
);

/** Version 7 and the RFC's variant stand at fixed places. */
const JOB_ID = new RegExp(
  `^(${Object.values(PREFIXES).join('|')})[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`,
);

/** Random words drawn from the operating system at once; an id takes three or four. */
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

/** A new id, above every id of that kind this process made before. */
export function newJobId(kind: JobKind): JobId {
  return PREFIXES[kind] + generator.generate().toHex();
}

/** The kind of job an id names; undefined when the text is not a job id. */
export function jobKindOf(text: string): JobKind | undefined {
  const prefix = JOB_ID.exec(text)?.[1];
  return prefix === undefined ? undefined : KINDS.get(prefix);
}

/** Whether the text has the form of a job id, of `kind` where one is given. */
export function isJobId(text: string, kind?: JobKind): boolean {
  const found = jobKindOf(text);
  return found !== undefined && (kind === undefined || found === kind);
}
