/**
 * Checks, before a database is opened, that its write-ahead log is present and undamaged.
 *
 * SQLite treats a log that is missing or has wrong checksums as one that was never written: its transactions
 * are lost without any message. So the database file itself records whether it needs its log, in its
 * `application_id`: CONTINUED in the file, WHOLE in the last transaction of the log. A checkpoint
 * (`checkpointLog`) writes CONTINUED into the log, copies the log into the file, and then starts the log anew
 * with WHOLE. Copying the whole log into the file, as SQLite does when the last connection closes, thus makes
 * the file WHOLE by itself. The process may be killed between any two of these steps.
 *
 * A separate file that says how the last run ended was not taken: nothing keeps it in step with the log when
 * SQLite, or an operator's `sqlite3`, checkpoints.
 *
 * @see https://sqlite.org/fileformat2.html#walformat, https://sqlite.org/walformat.html
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { endianness, uptime } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { DatabaseDamagedError, DatabaseMissingError, LogLostError } from './errors.ts';
import { makePrivateFile } from './private-files.ts';

/** "qcs0": the database file holds everything. */
const WHOLE = 0x71637330;
/** "qcs1": the last transactions are in the log. */
const CONTINUED = 0x71637331;

const FILE_MAGIC = 'SQLite format 3\0';
const FILE_HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LOG_VERSION = 3_007_000;
/** The last bit gives the byte order of the checksums. */
const LOG_MAGIC = 0x377f0682;

const INDEX_BYTES = 100;

/**
 * Attempts at a check: another process that writes may change the files while they are read, but not this
 * often.
 */
const MAX_ATTEMPTS = 5;
const RETRY_MS = 50;

const MARKER_TEXT = `This file shows that a database was created beside it. If the database is missing, the service does
not start, so that it never goes on with an empty one by mistake.
`;

/** Creates the marker file beside a database, which shows later that the database existed. */
export function leaveMarker(path: string): void {
  makePrivateFile(markerOf(path), MARKER_TEXT);
}

function markerOf(path: string): string {
  return `${path}.made`;
}

/**
 * Checks the files of a database that is about to be opened. Call it only while this process does not have
 * the database open: closing a file here releases all locks of the process on it.
 *
 * @throws {DatabaseMissingError} if the database existed and is gone or empty.
 * @throws {DatabaseDamagedError} if the file is not an SQLite database.
 * @throws {LogLostError} if committed transactions were in a log that is missing or damaged.
 */
export function checkFiles(path: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      checkFilesOnce(path);
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/**
 * Checkpoints: copies the log into the database file, as far as no reader still needs it, and starts it anew.
 */
export function checkpointLog(database: DatabaseSync): void {
  database.exec(`PRAGMA application_id = ${CONTINUED}`);
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    declareWhole(database);
  }
}

/** Marks the database as complete as this connection sees it, at once or with the open transaction. */
export function declareWhole(database: DatabaseSync): void {
  database.exec(`PRAGMA application_id = ${WHOLE}`);
}

function checkFilesOnce(path: string): void {
  if (!sizeOf(path)) {
    const traces = [markerOf(path), `${path}-wal`].filter(sizeOf);
    if (traces.length > 0) throw new DatabaseMissingError(path, traces);
    return;
  }
  const header = readStart(path, FILE_HEADER_BYTES);
  if (header.length < FILE_HEADER_BYTES || header.toString('latin1', 0, 16) !== FILE_MAGIC) {
    throw new DatabaseDamagedError(path, 'it is not an SQLite database');
  }
  if (header.readUInt32BE(APPLICATION_ID_AT) !== CONTINUED) return;
  // The index is read first: the log already held each frame before the index counted it.
  const index = readIndex(`${path}-shm`);
  const fault = faultOfLog(`${path}-wal`, index);
  if (fault !== undefined) throw new LogLostError(path, `${path}-wal`, fault);
}

/** State of the log when SQLite last ran, from the shared-memory index. */
interface LogIndex {
  readonly salt: readonly [number, number];
  /** Frames of committed transactions. */
  readonly numFrames: number;
}

/**
 * Reads the log's index; undefined where it is missing or stale, or the database file holds everything. An
 * index written before the machine booted is stale: a power cut may have kept it but not the end of the log,
 * which was never acknowledged.
 */
function readIndex(path: string): LogIndex | undefined {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs === undefined || mtimeMs < bootedAt()) return undefined;
  const bytes = readStart(path, INDEX_BYTES);
  if (bytes.length < INDEX_BYTES) return undefined;
  const isTorn = !bytes.subarray(0, 48).equals(bytes.subarray(48, 96));
  // The index has the machine's byte order, except for the salts, which are stored as in the log.
  const u32 = (at: number) =>
    endianness() === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  const isInitialised = bytes[12] === 1;
  const numFrames = u32(16);
  const numCopied = u32(96);
  if (isTorn || !isInitialised || u32(0) !== LOG_VERSION || numFrames <= numCopied)
    return undefined;
  return { salt: [bytes.readUInt32BE(32), bytes.readUInt32BE(36)], numFrames };
}

/** Reason why committed transactions cannot be read from the log; undefined if all can. */
function faultOfLog(path: string, index: LogIndex | undefined): string | undefined {
  const size = sizeOf(path);
  if (size === undefined) return 'is missing';
  const log = openSync(path, 'r');
  try {
    const header = readAt(log, LOG_HEADER_BYTES, 0);
    const sum = new LogChecksum(header);
    if (!isLogHeader(header, sum)) return `is damaged (${size} bytes, no valid header)`;
    const salt = [header.readUInt32BE(16), header.readUInt32BE(20)] as const;
    const pageBytes = header.readUInt32BE(8);
    const { numCommitted, numCommitsAfter } = scanFrames(log, size, pageBytes, sum, salt);
    // One torn commit was being written when the process ended; several mean damage.
    if (numCommitsAfter > 1) return `is damaged after page ${numCommitted}`;
    if (index === undefined) return undefined;
    const isSameLog = index.salt[0] === salt[0] && index.salt[1] === salt[1];
    if (isSameLog) {
      return numCommitted < index.numFrames
        ? `ends after ${numCommitted} of ${index.numFrames} pages`
        : undefined;
    }
    // The first salt grows by one each time the log starts anew. After a power cut the index may describe an
    // earlier log.
    const isLater = ((salt[0] - index.salt[0]) | 0) > 0;
    return isLater ? undefined : 'is older than the last one';
  } finally {
    closeSync(log);
  }
}

function isLogHeader(header: Buffer, sum: LogChecksum): boolean {
  if (header.length < LOG_HEADER_BYTES) return false;
  const pageBytes = header.readUInt32BE(8);
  return (
    (header.readUInt32BE(0) & ~1) >>> 0 === LOG_MAGIC &&
    header.readUInt32BE(4) === LOG_VERSION &&
    pageBytes >= 512 &&
    pageBytes <= 65_536 &&
    (pageBytes & (pageBytes - 1)) === 0 &&
    sum.add(header.subarray(0, 24)).equals(header, 24)
  );
}

/**
 * Scans the frames of a log.
 *
 * @returns `numCommitted`: frames up to the last commit that SQLite will find. `numCommitsAfter`: commits of
 *   the same log behind an invalid frame, where SQLite does not look.
 */
function scanFrames(
  log: number,
  size: number,
  pageBytes: number,
  sum: LogChecksum,
  salt: readonly [number, number],
): { readonly numCommitted: number; readonly numCommitsAfter: number } {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let numCommitted = 0;
  let numCommitsAfter = 0;
  let isValid = true;
  let at = LOG_HEADER_BYTES;
  for (let frame = 1; at + frameBytes <= size; frame++, at += frameBytes) {
    const bytes = readAt(log, isValid ? frameBytes : FRAME_HEADER_BYTES, at);
    if (bytes.length < FRAME_HEADER_BYTES) break;
    const isOfThisLog = bytes.readUInt32BE(8) === salt[0] && bytes.readUInt32BE(12) === salt[1];
    const isCommit = bytes.readUInt32BE(4) !== 0;
    if (isValid) {
      isValid =
        isOfThisLog &&
        bytes.length === frameBytes &&
        sum.add(bytes.subarray(0, 8)).add(bytes.subarray(FRAME_HEADER_BYTES)).equals(bytes, 16);
    }
    if (!isCommit) continue;
    if (isValid) numCommitted = frame;
    else if (isOfThisLog) numCommitsAfter += 1;
  }
  return { numCommitted, numCommitsAfter };
}

/** SQLite's running checksum of a log. */
class LogChecksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(header: Buffer) {
    this.#isBigEndian = ((header[3] ?? 0) & 1) === 1;
  }

  /** @param bytes - A multiple of 8. */
  add(bytes: Buffer): this {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isLittleEndian = !this.#isBigEndian;
    let first = this.#first;
    let second = this.#second;
    for (let at = 0; at < bytes.length; at += 8) {
      first = (first + view.getUint32(at, isLittleEndian) + second) | 0;
      second = (second + view.getUint32(at + 4, isLittleEndian) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
    return this;
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second;
  }
}

/** The first bytes of a file; fewer where it is shorter. */
function readStart(path: string, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    return readAt(file, length, 0);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, length: number, position: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** When the machine was started, milliseconds since 1970. */
function bootedAt(): number {
  return performance.timeOrigin + performance.now() - 1000 * uptime();
}
