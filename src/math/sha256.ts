/**
 * SHA-256 without Node: for the browser, whose own is asynchronous. It has a tenth of the speed of Node's,
 * which the service uses.
 *
 * @see FIPS 180-4, section 6.2.
 */

const NUM_ROUNDS = 64;
const BLOCK_BYTES = 64;
/** Bytes at the end of the last block that hold the message's length in bits. */
const LENGTH_BYTES = 8;

/** Fractions of the square roots of the first 8 primes, and of the cube roots of the first 64. */
const { INITIAL, ROUND_CONSTANTS } = constants();

/** Digest of a message, as 64 hex digits. */
export function sha256(message: Uint8Array): string {
  const hash = Int32Array.from(INITIAL);
  const rest = message.length % BLOCK_BYTES;
  const numBlocks = rest + 1 + LENGTH_BYTES <= BLOCK_BYTES ? 1 : 2;
  const tail = new Uint8Array(numBlocks * BLOCK_BYTES);
  tail.set(message.subarray(message.length - rest));
  tail[rest] = 0x80;
  const length = new DataView(tail.buffer, tail.length - LENGTH_BYTES);
  length.setUint32(0, Math.floor(message.length / 2 ** 29));
  length.setUint32(4, 8 * message.length);
  addBlocks(hash, message.subarray(0, message.length - rest));
  addBlocks(hash, tail);
  return [...hash].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const rotateRight = (x: number, places: number): number => (x >>> places) | (x << (32 - places));

function addBlocks(hash: Int32Array, blocks: Uint8Array): void {
  const view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength);
  const schedule = new Int32Array(NUM_ROUNDS);
  for (let at = 0; at < blocks.length; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < NUM_ROUNDS; i++) {
      const early = schedule[i - 15]!;
      const late = schedule[i - 2]!;
      const s0 = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3);
      const s1 = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10);
      schedule[i] = schedule[i - 16]! + s0 + schedule[i - 7]! + s1;
    }
    addSchedule(hash, schedule);
  }
}

function addSchedule(hash: Int32Array, schedule: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < NUM_ROUNDS; i++) {
    const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + ROUND_CONSTANTS[i]! + schedule[i]!) | 0;
    const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i]! += word;
}

function constants() {
  const primes: number[] = [];
  for (let n = 2; primes.length < NUM_ROUNDS; n++) {
    if (primes.every((prime) => n % prime > 0)) primes.push(n);
  }
  // A root has fewer than 5 bits before the binary point, so at least 48 of a double's 53 bits follow it; 32
  // are needed.
  const fraction = (x: number) => Math.floor((x % 1) * 2 ** 32);
  return {
    INITIAL: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
    ROUND_CONSTANTS: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)) | 0),
  };
}
