/** Files that only their owner may read: hashes of keys and callers' requests lie in them. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
  if (makeFolder(path)) return;
  if (readdirSync(path).every((name) => OWN_FILE.test(name))) restrict(path, FOLDER_MODE);
}

/**
 * Makes the folder and those above it; false where it exists. Node's own recursive mode never returns where
 * a folder exists in which none can be made, such as /proc.
 */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
    return true;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return false;
    const parent = dirname(path);
    if (!hasCode(error, 'ENOENT') || existsSync(parent)) throw error;
    makeFolder(parent);
    mkdirSync(path, { mode: FOLDER_MODE });
    return true;
  }
}

/**
 * Makes the file if it is missing, and closes it and what SQLite keeps beside it, if it is a database, to
 * other users. What SQLite puts there later has the file's mode.
 *
 * @param content - Of a file that is made.
 */
export function makePrivateFile(path: string, content = ''): void {
  try {
    // Only a new file is opened: closing one that exists would give up this process's locks on it.
    writeFileSync(path, content, { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  for (const suffix of ['', '-wal', '-shm', '-journal']) restrict(path + suffix, FILE_MODE);
}

/**
 * Gives the file this mode. One that is gone, is another user's, or lies on a file system without modes
 * is left as it is, and so is a folder into which others may put files.
 */
function restrict(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== process.getuid?.() || (found.mode & STICKY) !== 0)
    return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOENT'].some((code) => hasCode(error, code))) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
