import { Readable } from 'node:stream';
import { runCli } from '../../../infra/ops/cli.ts';
import type { ExitCode } from '../../../infra/ops/context.ts';

type Output = { readonly code: ExitCode; readonly out: string; readonly err: string };

/** Runs an operator command in this process: `operate('pipe', 'orders', 'show', '12')`. */
export async function operate(place: 'terminal' | 'pipe', ...argv: readonly string[]): Promise<Output> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(argv, {
    stdout: { isTTY: place === 'terminal', write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: Object.assign(Readable.from([]), { isTTY: place !== 'pipe' }),
    isTerminal: place !== 'pipe',
  });
  return { code, out: out.join(''), err: err.join('') };
}
