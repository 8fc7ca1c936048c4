import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, lockFolder } from '../../../infra/local/engines/folder.ts';

const LOCK_MODULE = join(import.meta.dirname, '../../../infra/local/engines/folder.ts');

const IN_USE = 'is in use by another local server: stop it, or let LOCAL_DIR name another folder.';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
  return () => rmSync(directory, { recursive: true, force: true });
});

/** Starts a process that locks the folder and stays. */
async function lockElsewhere() {
  const program = `const { lockFolder } = await import(${JSON.stringify(LOCK_MODULE)});
    globalThis.release = lockFolder(${JSON.stringify(directory)});
    console.log('locked');
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
}

it('is refused to a second server until the first has ended', async () => {
  const release = lockFolder(directory);
  expect(() => lockFolder(directory)).toThrow(IN_USE);
  await release();
  await lockFolder(directory)();
});

it('is free once the process that holds it was killed', async () => {
  const holder = await lockElsewhere();
  expect(() => lockFolder(directory)).toThrow(IN_USE);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await lockFolder(directory)();
});

it('outlives the emptying of its folder', async () => {
  const release = lockFolder(directory);
  writeFileSync(join(directory, 'api-keys.json'), '[]');
  await emptyFolder(directory);
  expect(() => lockFolder(directory)).toThrow(IN_USE);
  await release();
});

it('is refused on a lock file that is something else', () => {
  writeFileSync(join(directory, '.lock'), 'no database '.repeat(100));
  expect(() => lockFolder(directory)).toThrow(`The data in ${directory} cannot be used (file is not a database)`);
});
