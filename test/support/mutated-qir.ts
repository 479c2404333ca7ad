/** Programs in QIR with random faults, as text and as bitcode. */
import type { RandomStream } from './random-stream.ts';

const TOKENS = /[%@!#]?[\w.$-]+|"[^"]*"|\s+|./g;
const WORDS =
  'i1 i64 double ptr void 0 1 -1 64 4294967296 9223372036854775807 0x7FF0000000000000 1.0e308 null undef true false add sub mul sdiv shl icmp select phi br ret call load store alloca getelementptr switch zext label { } ( ) [ ] , = @main %0'.split(
    ' ',
  );

/** A text in which one to four tokens are taken away, repeated, exchanged or replaced. */
export function mutatedText(text: string, random: RandomStream): string {
  const tokens = text.match(TOKENS) ?? [];
  const numChanges = 1 + random.below(4);
  for (let i = 0; i < numChanges; i++) {
    const at = random.below(tokens.length);
    const other = random.below(tokens.length);
    switch (random.below(6)) {
      case 0:
        tokens.splice(at, 1 + random.below(5));
        break;
      case 1:
        tokens.splice(at, 0, ...tokens.slice(other, other + 1 + random.below(40)));
        break;
      case 2:
        [tokens[at], tokens[other]] = [tokens[other]!, tokens[at]!];
        break;
      case 3:
        tokens[at] = random.pick(WORDS);
        break;
      case 4:
        // A number or a name of its kind, so that the text often stays well-formed.
        tokens[at] = tokens.filter((each) => each[0] === tokens[at]![0])[0]!;
        break;
      default:
        if (random.below(8) === 0) tokens.length = at + 1;
        else tokens[at] = tokens[other]!;
    }
  }
  return tokens.join('');
}

/** Bytes of which one to four places are changed: bits, bytes, words of 32 bits, and the end. */
export function mutatedBytes(bytes: Uint8Array, random: RandomStream): Buffer {
  let changed = Buffer.from(bytes);
  const numChanges = 1 + random.below(4);
  for (let i = 0; i < numChanges; i++) {
    // The first bytes say that it is bitcode.
    const at = 4 + random.below(changed.length - 8);
    switch (random.below(5)) {
      case 0:
      case 1:
        changed[at] = changed[at]! ^ (1 << random.below(8));
        break;
      case 2:
        changed[at] = random.below(256);
        break;
      case 3:
        changed.writeUInt32LE(random.pick([0, 1, 0xffffffff, 0x7fffffff, 0x80000000]), at & ~3);
        break;
      default: {
        const length = 4 * (1 + random.below(8));
        const part = changed.subarray(at & ~3, (at & ~3) + length);
        const rest = changed.subarray((at & ~3) + (random.below(2) === 0 ? length : 0));
        changed = Buffer.concat([changed.subarray(0, at & ~3), part, rest]);
        if (random.below(8) === 0) changed = changed.subarray(0, Math.max(16, at));
      }
    }
  }
  return Buffer.from(changed);
}
