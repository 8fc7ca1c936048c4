import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');

/**
 * Runs vitest with more variables in its environment, which a script of package.json cannot set in every shell, and returns its exit
 * code. A signal ends vitest first.
 */
export async function runVitest(words: readonly string[], more: NodeJS.ProcessEnv): Promise<number> {
  const tests = spawn(process.execPath, [VITEST, 'run', ...words], {
    env: { ...process.env, ...more },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
  const [code] = await once(tests, 'exit');
  return code ?? 1;
}
