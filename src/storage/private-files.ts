/**
 * Creates files and folders that only their owner may read: they hold hashes of keys and callers' requests.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Sticky bit of a folder into which others may put files, as into /tmp. */
const STICKY = 0o1000;
/** Files that the service puts into its data directory. */
const OWN_FILE = /^(qcs\.sqlite|service\.lock|gpu-tuning\.json)/;

/**
 * Creates a folder that is closed to other users. An existing folder is closed too if it is this user's and
 * holds only the service's files; any other may be shared, and is not changed.
 */
export function makePrivateFolder(path: string): void {
  if (makeFolder(path)) return;
  if (readdirSync(path).every((name) => OWN_FILE.test(name))) restrict(path, FOLDER_MODE);
}

/**
 * Creates the folder and its parents; false where it exists. Node's recursive mode never returns where a
 * parent exists in which nothing can be created, such as /proc.
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
 * Creates a file that is closed to other users, or closes an existing one, together with the files that
 * SQLite keeps beside a database. Files that SQLite adds later get the same mode.
 *
 * @param content - Content of a new file.
 */
export function makePrivateFile(path: string, content = ''): void {
  try {
    // Never opens an existing file: closing it would release this process's locks on it.
    writeFileSync(path, content, { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  for (const suffix of ['', '-wal', '-shm', '-journal']) restrict(path + suffix, FILE_MODE);
}

/**
 * Sets the mode of a file or folder. Leaves it alone if it is gone, is another user's, lies on a file system
 * without modes, or is a folder into which others may put files.
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

/** Whether an error has a system error code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
