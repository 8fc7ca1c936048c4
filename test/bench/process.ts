import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Running = { readonly line: string; stop(): Promise<void> };

/** A script in a process of its own, once it has printed a line that begins with `ready`. */
export async function startScript(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('ready')) continue;
    child.stdout.resume();
    return { line, stop: () => stop(child) };
  }
  throw new Error(`${file} ended before it was ready`);
}

// Longer than the house takes to leave when its engines were just starting.
const STOPPING_MS = 20_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  const alarm = setTimeout(() => child.kill('SIGKILL'), STOPPING_MS);
  await ended;
  clearTimeout(alarm);
}
