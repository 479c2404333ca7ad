/** The log, for programs and for people. */
import { describe, expect, test } from 'vitest';
import { logStream, prettyLine } from '../../../src/service/http/log-stream.ts';

/** As the logger writes it; 30 s past some minute in any time zone. */
const TIME = Date.UTC(2026, 0, 2, 3, 4, 30);
const REQUEST = {
  level: 30,
  time: TIME,
  pid: 1,
  hostname: 'here',
  request_id: 'a',
  method: 'POST',
  path: '/api/v1/quantum/circuits',
  status: 201,
  ms: 17.7,
  msg: 'request',
};

describe('a line for a person', () => {
  test('has the time, method, path, status and milliseconds of a request', () => {
    expect(prettyLine(JSON.stringify(REQUEST))).toMatch(
      /^\d\d:\d\d:30 POST \/api\/v1\/quantum\/circuits 201 17\.7 ms$/,
    );
  });

  test('has level, message, other fields and the stack of all else', () => {
    const failed = {
      level: 50,
      time: TIME,
      pid: 1,
      hostname: 'here',
      job_id: 'circ_1',
      counts: [1],
      err: { type: 'Error', message: 'no', stack: 'Error: no\n    at here' },
      msg: 'job failed',
    };
    expect(prettyLine(JSON.stringify(failed)).slice('00:00:'.length)).toBe(
      '30 error: job failed job_id=circ_1 counts=[1]\nError: no\n    at here',
    );
  });

  test('has nothing that a terminal would act on', () => {
    const path = '/\u009b2J\u001b[2J';
    expect(prettyLine(JSON.stringify({ ...REQUEST, path }))).toContain('/\\x9b2J\\x1b[2J 201');
  });
});

test.each([
  ['pretty on a terminal', undefined, true, 'pretty'],
  ['JSON elsewhere', undefined, false, 'json'],
  ['JSON on a terminal where that is set', 'json', true, 'json'],
  ['pretty elsewhere where that is set', 'pretty', false, 'pretty'],
] as const)('is %s', (_, format, isTTY, expected) => {
  const lines: string[] = [];
  const line = `${JSON.stringify(REQUEST)}\n`;
  logStream(format, { isTTY, write: (text) => lines.push(text) }).write(line);
  expect(lines).toEqual([expected === 'json' ? line : `${prettyLine(line)}\n`]);
});
