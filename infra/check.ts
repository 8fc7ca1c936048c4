import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/*
 * Runs all scripts named `check:…` of package.json at the same time, because most of them use one core: `npm run check`. Each
 * prints its output when it has ended.
 */

async function runScript(name: string): Promise<boolean> {
  const child = spawn(`npm run --silent ${name} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  console.log(`${name}: ${code === 0 ? 'passed' : `failed (${code})`}\n${output}`.trimEnd());
  return code === 0;
}

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
);
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const outcomes = await Promise.all(checks.map(runScript));
if (outcomes.includes(false)) process.exitCode = 1;
