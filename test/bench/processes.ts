import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { localEnvironment } from '../../infra/local/environment.ts';
import { freePorts } from '../support/engines/ports.ts';

const START = join(import.meta.dirname, '../../infra/local/start.ts');
// The server needs less time than this to stop, even while its engines are starting.
const STOPPING_MS = 20_000;

/** The commands that start the local server. */
export const QUIET = [process.execPath, START, '--quiet'] as const;
export const LOGGING = [process.execPath, START] as const;
export const NPM_START = ['npm', 'start', '--', '--quiet'] as const;
type Command = readonly [program: string, ...args: readonly string[]];

/** Starts a command in another process and waits until it has printed `ready` and what follows. */
export async function startProcess([program, ...args]: Command, env: NodeJS.ProcessEnv) {
  // npm and its children form a process group, so that one signal ends them all, as Ctrl-C does.
  const detached = program === 'npm';
  const child = spawn(program, args, { env, detached, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** Returns the next line that matches. Throws if the process ends before it. */
  async function findLine(pattern: RegExp): Promise<string> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended`);
      if (pattern.test(value)) return value;
    }
  }
  const ready = (await findLine(/^ready /)).replace('ready ', '');
  const pid = Number(child.pid);
  return { ready, pid, findLine, stop: () => stop(child, detached ? -pid : pid) };
}

async function stop(child: ChildProcess, target: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(target, 'SIGINT');
  const alarm = setTimeout(() => process.kill(target, 'SIGKILL'), STOPPING_MS);
  await ended;
  clearTimeout(alarm);
}

/**
 * Starts the local server with its own ports and engines, but for those whose endpoint is given, and a folder that `stop` removes.
 * The `url` has the stage, without a slash at the end; an operator's command finds the server by `env`.
 */
export async function startServer(command: Command = QUIET, endpoints: NodeJS.ProcessEnv = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'server-'));
  const serverVariables = localEnvironment({});
  const own = Object.entries(process.env).filter(([name]) => !(name in serverVariables));
  const env = { ...Object.fromEntries(own), ...(await freePorts()), LOCAL_DIR: directory, ...endpoints };
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const { ready: url, stop, ...started } = await startProcess(command, env);
    return { ...started, url, directory, env, stop: () => stop().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
