import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { localEnvironment } from '../../../infra/local/environment.ts';
import { freePorts } from '../engines/ports.ts';

const START = join(import.meta.dirname, '../../../infra/local/start.ts');

export type Running = { readonly line: string; readonly pid: number; stop(): Promise<void> };

/** Starts a script in another process and waits for a line that begins with `ready`. */
export async function startScript(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('ready')) continue;
    child.stdout.resume();
    return { line, pid: Number(child.pid), stop: () => stop(child) };
  }
  throw new Error(`${file} ended before it was ready`);
}

// The server needs less time than this to stop, even while its engines are starting.
const STOPPING_MS = 20_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  const alarm = setTimeout(() => child.kill('SIGKILL'), STOPPING_MS);
  await ended;
  clearTimeout(alarm);
}

/**
 * Starts the local server in another process with its own ports and engines, but for those whose endpoint is given, and a folder
 * that `stop` removes.
 */
export async function startServerProcess(endpoints: NodeJS.ProcessEnv = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'server-'));
  const env = { ...withoutServerVariables(), ...(await freePorts()), LOCAL_DIR: directory, ...endpoints };
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const { line, pid, stop } = await startScript(START, ['--quiet'], env);
    return {
      /** The URL with the stage, without a slash at the end. */
      url: line.replace('ready ', ''),
      directory,
      /** The environment with which an operator's command finds the server. */
      env,
      pid,
      stop: () => stop().finally(remove),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the environment of this process without the variables of a test server. */
function withoutServerVariables(): NodeJS.ProcessEnv {
  const serverVariables = localEnvironment({});
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in serverVariables)));
}
