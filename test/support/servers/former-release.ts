import { execFile, execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FunctionProcess, startFunction } from './function-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Returns the last tag before the commit of the working tree; undefined as long as there is none. */
export function findFormerRelease(folder = ROOT): string | undefined {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  try {
    // A commit that has a tag is the next release itself, so the search begins before it.
    return git('describe', '--tags', '--abbrev=0', 'HEAD^').trim();
  } catch {
    return undefined;
  }
}

const DISPATCHER = `
  export async function handler({ file, event }, context) {
    const { handler } = await import(new URL(file, new URL('./source/', import.meta.url)));
    return handler(event, context);
  }
`;

/**
 * Starts all handlers of a release in one process, from its sources and with the packages of today. Its events are
 * `{ file, event }`, with the handler's path from the project root.
 */
export async function startFormerRelease(
  release: string,
  { environment, folder }: { readonly environment: Record<string, string>; readonly folder: string },
): Promise<FunctionProcess> {
  const source = join(folder, 'source');
  await mkdir(source);
  await run('git', ['archive', '--format=tar', `--output=${folder}/source.tar`, release], { cwd: ROOT });
  await run('tar', ['-xf', `${folder}/source.tar`, '-C', source]);
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const file = join(folder, 'dispatcher.mjs');
  await writeFile(file, DISPATCHER);
  return startFunction({ file }, { environment, folder });
}
