/** text/event-stream as the HTML standard reads it, in whatever chunks it comes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EventStreamParser,
  EventTooLongError,
  type StreamEvent,
} from '../../../src/client/event-stream-parser.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function parse(text: string, parser = new EventStreamParser()): readonly StreamEvent[] {
  return parser.push(encode(text));
}

describe('a field', () => {
  test.each([
    ['without a space', 'data:a\n\n', 'a'],
    ['with a space, which is no part of the value', 'data: a\n\n', 'a'],
    ['with two, of which one is', 'data:  a\n\n', ' a'],
    ['with further colons', 'data: {"a":1}\n\n', '{"a":1}'],
    ['without a colon, which is empty', 'data\n\n', ''],
    ['given twice, as two lines', 'data: a\ndata: b\n\n', 'a\nb'],
    ['after a byte order mark', '\uFEFFdata: a\n\n', 'a'],
  ])('%s', (_, text, data) => {
    expect(parse(text)).toEqual([{ id: '', event: 'message', data }]);
  });

  test('that is none of the four is passed over, and so are comments', () => {
    expect(parse(': hello\nx: 1\n:\nevent: e\nDATA: no\ndata: a\n\n')).toEqual([
      { id: '', event: 'e', data: 'a' },
    ]);
  });
});

describe('an event', () => {
  test('without data is none, and its name is not that of the next', () => {
    expect(parse('event: e\n\ndata: a\n\n')).toEqual([{ id: '', event: 'message', data: 'a' }]);
  });

  test('without an id has that of the one before, also of the connection before', () => {
    const parser = new EventStreamParser('before');
    expect(parse('data: a\n\nid: 7\ndata: b\n\ndata: c\n\n', parser).map(({ id }) => id)).toEqual([
      'before',
      '7',
      '7',
    ]);
  });

  test('with an empty id takes it back, and one with a null character is not taken', () => {
    const parser = new EventStreamParser('before');
    expect(parse('id: a\0b\ndata: a\n\nid\ndata: b\n\n', parser).map(({ id }) => id)).toEqual([
      'before',
      '',
    ]);
  });

  test('that is not at its end is not told', () => {
    expect(parse('data: a\n\ndata: b\n').map(({ data }) => data)).toEqual(['a']);
  });
});

test('the time before coming back is a whole number of milliseconds, or stays what it was', () => {
  const parser = new EventStreamParser();
  expect(parser.retryMs).toBeUndefined();
  parse('retry: 250\nretry: soon\nretry: -1\nretry: 1.5\nretry\n', parser);
  expect(parser.retryMs).toBe(250);
});

test('a stream means the same however it is cut and however its lines end', () => {
  // A return and a line feed of two lines would be one end; so an event keeps to one kind.
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  const text = fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .map((t) => t.replace(/[\r\n\0]/g, '_'));
  const event = fc.record({
    id: text,
    event: text.filter((name) => name !== ''),
    data: fc.array(text, { minLength: 1, maxLength: 3 }),
    comment: text,
    end: ends,
  });
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), cuts, (events, places) => {
      const whole = events.map(({ id, event: name, data, comment, end }) => {
        const lines = [
          `: ${comment}`,
          `id: ${id}`,
          `event: ${name}`,
          ...data.map((d) => `data: ${d}`),
        ];
        return [...lines, '', ''].join(end);
      });
      const bytes = encode(whole.join(''));
      const parser = new EventStreamParser();
      const found: StreamEvent[] = [];
      let from = 0;
      for (const to of [...places.sort((a, b) => a - b), bytes.length]) {
        found.push(...parser.push(bytes.slice(from, Math.max(from, to))));
        from = Math.max(from, to);
      }
      expect(found).toEqual(
        events.map(({ id, event: name, data }) => ({ id, event: name, data: data.join('\n') })),
      );
    }),
    { seed: 8, numRuns: 300 },
  );
});

test('a line or an event without an end is refused before it fills the memory', () => {
  const megabyte = 'a'.repeat(2 ** 20);
  const line = new EventStreamParser();
  expect(() => parse(`data: ${megabyte}`, line)).toThrow(EventTooLongError);
  const event = new EventStreamParser();
  const many = () => {
    for (let i = 0; i < 2000; i++) parse(`data: ${megabyte.slice(0, 1000)}\n`, event);
  };
  expect(many).toThrow(EventTooLongError);
});
