import { describe, expect, test } from 'vitest';
import { isJobId, JOB_KINDS, jobKindOf, newJobId } from '../../../src/jobs/job.ts';

describe('newJobId', () => {
  test.each([
    ['circuit', /^circ_[0-9a-f]{32}$/],
    ['task', /^task_[0-9a-f]{32}$/],
    ['tpu_job', /^tpujob_[0-9a-f]{32}$/],
  ] as const)('an id of a %s names its kind', (kind, form) => {
    const id = newJobId(kind);
    expect(id).toMatch(form);
    expect(jobKindOf(id)).toBe(kind);
  });

  test('20,000 ids made in a row are distinct and sort by creation', () => {
    const ids = Array.from({ length: 20_000 }, () => newJobId('circuit'));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toStrictEqual(ids);
  });
});

describe('isJobId', () => {
  const id = newJobId('circuit');
  const hex = id.slice('circ_'.length);

  test('accepts an id of its own kind only, where a kind is asked for', () => {
    expect(isJobId(id)).toBe(true);
    expect(JOB_KINDS.filter((kind) => isJobId(id, kind))).toStrictEqual(['circuit']);
  });

  test.each([
    ['the empty text', ''],
    ['a prefix alone', 'circ_'],
    ['an unknown prefix', `job_${hex}`],
    ['a name that every object has', `constructor_${hex}`],
    ['no prefix', hex],
    ['upper case', id.toUpperCase()],
    ['a digit short', id.slice(0, -1)],
    ['a digit more', `${id}0`],
    ['a line end', `${id}\n`],
    ['another version of UUID', `circ_${hex.slice(0, 12)}4${hex.slice(13)}`],
    ['another variant of UUID', `circ_${hex.slice(0, 16)}0${hex.slice(17)}`],
  ])('refuses %s', (_, text) => {
    expect(isJobId(text)).toBe(false);
    expect(jobKindOf(text)).toBeUndefined();
  });
});
