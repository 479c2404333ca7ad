/** Paths that a process of procedures may read: the service's code, its models, and installed packages. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The flags of Node's permission model for such a process: it may read its own modules, and neither
 * write nor start processes, threads or native modules.
 *
 * @param modules - Its entry, and modules that it imports from elsewhere; without links.
 */
export function permissionFlags(modules: readonly URL[]): readonly string[] {
  const readable = new Set(modules.flatMap((module) => readableFor(fileURLToPath(module))));
  return ['--permission', ...[...readable].map((path) => `--allow-fs-read=${path}`)];
}

function readableFor(module: string): readonly string[] {
  const root = packageRoot(module);
  const [codeFolder = ''] = relative(root, module).split(sep);
  return [
    everythingIn(join(root, codeFolder)),
    join(root, 'package.json'),
    everythingIn(join(root, 'models')),
    ...folderOfPackages(module),
  ];
}

function packageRoot(path: string): string {
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) return dirname(path);
    folder = above;
  }
  return folder;
}

/** On the way up, as imports look for them; a linked one at both ends. */
function folderOfPackages(path: string): readonly string[] {
  const found: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    if (existsSync(packages)) {
      found.push(everythingIn(packages), everythingIn(realPath(packages)));
    }
    if (folder === dirname(folder)) return found;
  }
}

/** The module where it really lies. */
export function withoutLinks(module: URL): URL {
  return pathToFileURL(realPath(fileURLToPath(module)));
}

/** Path without links. A path that does not exist is kept, so that the process names it as missing. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function everythingIn(folder: string): string {
  return join(folder, '*');
}
