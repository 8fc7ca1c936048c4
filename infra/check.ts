import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

// Usage: npm run check [-- format|types|unused|api|synth].
const CHECKS: Readonly<Record<string, string>> = {
  format: 'biome ci .',
  types: 'tsc --noEmit && tsc -p infra/docs/browser && tsc -p infra/counter/page',
  unused: 'knip',
  api: 'node infra/api/write.ts --check',
  synth: 'node infra/cloud/commands/synth.ts',
};

/** Runs a check, and prints its output when it has ended. */
async function runCheck(name: string): Promise<boolean> {
  const child = spawn(`${CHECKS[name]} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  console.log(`${name}: ${code === 0 ? 'passed' : `failed (${code})`}\n${output}`.trimEnd());
  return code === 0;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0)
  throw new Error(`There is no check ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}.`);
// Side by side, as most of them use one core.
const outcomes = await Promise.all((names.length > 0 ? names : Object.keys(CHECKS)).map(runCheck));
if (outcomes.includes(false)) process.exitCode = 1;
