import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../../support/engines/ports.ts';

/** A local server that was started as a user starts it. */
export type Started = {
  /** The process of npm, which has started all others. */
  readonly pid: number;
  /** The URL with the stage, without a slash at the end. */
  readonly url: string;
  /** The environment with which an operator's command finds the server. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends all processes, as Ctrl-C does, and removes the data. */
  stop(): Promise<void>;
};

/** Runs `npm start` on free ports with its data in a new folder, and waits until it is ready. */
export async function npmStart(): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-memory-'));
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  // In a process group of its own, which a Ctrl-C reaches as a whole.
  const npm = spawn('npm', ['start', '--', '--quiet'], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(npm.pid);
  const ended = once(npm, 'exit');
  const stop = async () => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-pid, 'SIGINT');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: npm.stdout })) {
    if (!line.startsWith('ready ')) continue;
    npm.stdout.resume();
    return { pid, url: line.replace('ready ', ''), env, stop };
  }
  await stop();
  throw new Error('npm start ended before it was ready');
}
