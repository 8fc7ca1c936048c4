import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import type { Bundle } from '../../../infra/bundle.ts';

export type FunctionProcess = {
  /** Calls the handler. Throws with the handler's stack when it throws, or when the process ends first. */
  call(event: unknown, context: unknown): Promise<unknown>;
  /** The lines on stdout and stderr. */
  readonly log: readonly string[];
  stop(): Promise<void>;
  /** Ends the process at once with SIGKILL. */
  kill(): Promise<void>;
};

type Place = {
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  readonly aheadMs?: number;
  readonly nodeOptions?: readonly string[];
};

type Reply = { readonly id: number; readonly answer?: unknown; readonly failure?: string };

/** Starts a bundle in a Node process with only this environment. */
export async function startFunction(
  bundle: Pick<Bundle, 'file'>,
  { environment, folder, aheadMs = 0, nodeOptions = [] }: Place,
): Promise<FunctionProcess> {
  const child = fork(join(import.meta.dirname, 'function-runtime.ts'), [bundle.file, String(aheadMs)], {
    cwd: folder,
    env: environment,
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = collectLines(child);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  await waitUntilReady(child, log);
  child.on('message', ({ id, answer, failure }: Reply) => {
    if (failure === undefined) waiting.get(id)?.resolve(answer);
    else waiting.get(id)?.reject(new Error(failure));
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the function has ended'));
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    log,
    call(event, context) {
      const call = Promise.withResolvers<unknown>();
      waiting.set(calls, call);
      // The methods of a context cannot be sent to another process.
      const timeMs = (context as Partial<Context> | undefined)?.getRemainingTimeInMillis?.();
      child.send({ id: calls++, event, context, timeMs });
      return call.promise;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function collectLines({ stdout, stderr }: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)));
  }
  return lines;
}

async function waitUntilReady(child: ChildProcess, log: readonly string[]): Promise<void> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the function did not start: ${log.join('\n')}`);
  });
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
}
