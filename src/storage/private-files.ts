/** Files that only their owner may read: hashes of keys and callers' requests lie in them. */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** In a mode: others may put files into the folder, as into /tmp. */
const STICKY = 0o1000;
/** What the service itself puts into its data directory. */
const OWN_FILE = /^(qcs\.sqlite|service\.lock|gpu-tuning\.json)/;

/**
 * Makes the folder if it is missing, closed to other users. One that exists is closed to them if it is
 * this user's and holds nothing but the service's files; any other is shared, and left as it is.
 */
export function makePrivateFolder(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: FOLDER_MODE }) !== undefined) return;
  const { uid, mode } = statSync(path);
  const isOwn = uid === process.getuid?.() && (mode & STICKY) === 0;
  if (isOwn && readdirSync(path).every((name) => OWN_FILE.test(name))) chmodSync(path, FOLDER_MODE);
}

/**
 * Makes the file of a SQLite database if it is missing, and closes it and what SQLite keeps beside it to
 * other users. What SQLite puts there later has the file's mode. Files of another user are left as they are.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (existsSync(file) && statSync(file).uid === process.getuid?.()) chmodSync(file, FILE_MODE);
  }
}
