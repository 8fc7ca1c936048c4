import { Readable } from 'node:stream';
import { beforeAll, beforeEach } from 'vitest';
import { runCli } from '../../../infra/ops/cli.ts';
import type { ExitCode } from '../../../infra/ops/context.ts';

type Output = { readonly code: ExitCode; readonly out: string; readonly err: string };

/** `keyboard`: a person types at a terminal, and stdout and stderr go elsewhere. */
type Place = 'terminal' | 'keyboard' | 'pipe';

/** Runs an operator command in this process: `operate('pipe', 'orders', 'show', '12')`. */
export const operate = (place: Place, ...argv: readonly string[]) => operateTyping('', place, ...argv);

/** Runs an operator command that reads this from stdin. */
export async function operateTyping(typed: string, place: Place, ...argv: readonly string[]): Promise<Output> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(argv, {
    stdout: { isTTY: place === 'terminal', write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: Object.assign(Readable.from(typed === '' ? [] : [Buffer.from(typed)]), { isTTY: place !== 'pipe' }),
    isTerminal: place === 'terminal',
  });
  return { code, out: out.join(''), err: err.join('') };
}

/** Begins each test of a file with the environment that the hooks before have made, as a command changes it. */
export function keepEnvironment(): void {
  let environment: NodeJS.ProcessEnv;
  beforeAll(() => {
    environment = { ...process.env };
  });
  beforeEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, environment);
  });
}
