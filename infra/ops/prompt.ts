import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { once } from '../../shared/runtime/async.ts';
import type { CommandIo } from './context.ts';
import { CommandRefusal } from './errors.ts';

/** The exit code of a command that Ctrl-C has ended, as shells have it: 128 and the number of the signal. */
export const INTERRUPTED = 130;

/** Ctrl-C was typed at a question, or before anything was changed: nothing was done. */
export class Interrupted extends Error {}

// npm passes on a Ctrl-C that the process has had from the terminal already.
const PASSED_ON_MS = 1_000;

/**
 * Returns the signal that the first Ctrl-C aborts, so that a command removes what it has begun; the next ends the process. Until
 * a command asks for it, Ctrl-C ends the process at once.
 */
export const interruptSignal = once((): AbortSignal => {
  const controller = new AbortController();
  let interruptedAt = 0;
  process.on('SIGINT', () => {
    if (controller.signal.aborted && performance.now() - interruptedAt > PASSED_ON_MS) process.exit(INTERRUPTED);
    if (controller.signal.aborted) return;
    interruptedAt = performance.now();
    controller.abort(new Interrupted());
    process.stderr.write('Stopping; Ctrl-C again ends the command at once.\n');
  });
  return controller.signal;
});

/** Runs `work` with a progress bar on stderr at a terminal. It reports its progress from 0 to 1, and ends there after Ctrl-C. */
export async function withProgress<Result>(
  title: string,
  { isTerminal }: Pick<CommandIo, 'isTerminal'>,
  work: (onProgress: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  const signal = interruptSignal();
  // Without it the bar switches line wrapping off, which stays off when a signal ends the process.
  const linewrap = true;
  const bar = new SingleBar({ format: `${title} {bar} {percentage}%`, clearOnComplete: true, linewrap });
  const stop = () => bar.stop();
  signal.addEventListener('abort', stop);
  try {
    if (isTerminal) bar.start(1, 0);
    return await work((done) => {
      signal.throwIfAborted();
      if (isTerminal) bar.update(done);
    });
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}

/** Asks questions at a terminal and returns the answers; what is typed is shown or hidden. Throws a CommandRefusal at the end of input, Interrupted on Ctrl-C. */
export async function ask(
  questions: readonly string[],
  { stdin, stderr }: CommandIo,
  typing: 'shown' | 'hidden',
): Promise<string[]> {
  const output = new Writable({
    write(chunk, _, done) {
      if (typing === 'shown') stderr.write(String(chunk));
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: true });
  const answers: string[] = [];
  let end: Error = new CommandRefusal('Nothing was typed.');
  lines.on('SIGINT', () => {
    end = new Interrupted();
    lines.close();
  });
  try {
    stderr.write(questions[0] ?? '');
    for await (const line of lines) {
      answers.push(line);
      const next = questions[answers.length];
      if (next === undefined) return answers;
      stderr.write(`\n${next}`);
    }
    throw end;
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
