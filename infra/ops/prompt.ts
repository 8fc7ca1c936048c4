import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { CommandIo } from './context.ts';
import { CommandRefusal } from './errors.ts';

/** The exit code of a command that Ctrl-C has ended, as shells have it: 128 and the number of the signal. */
export const INTERRUPTED = 130;

/** Ctrl-C was typed at a question, or before anything was changed: nothing was done. */
export class Interrupted extends Error {}

// npm passes on a Ctrl-C that the process has had from the terminal already.
const PASSED_ON_MS = 1_000;

/** Runs `work` with a signal that the first Ctrl-C aborts, so that it removes what it has begun; the next ends the process. */
export async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  let interruptedAt = 0;
  const interrupt = () => {
    if (controller.signal.aborted && performance.now() - interruptedAt > PASSED_ON_MS) process.exit(INTERRUPTED);
    if (controller.signal.aborted) return;
    interruptedAt = performance.now();
    process.stderr.write('Stopping; Ctrl-C again ends the command at once.\n');
    controller.abort(new Interrupted());
  };
  process.on('SIGINT', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Runs `work` with a progress bar on stderr at a terminal; it reports its progress from 0 to 1. */
export async function withProgress<Result>(
  title: string,
  io: Pick<CommandIo, 'isTerminal'>,
  work: (onProgress: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  if (!io.isTerminal) return work(() => undefined);
  // Without it the bar switches line wrapping off, which stays off when a signal ends the process.
  const linewrap = true;
  const bar = new SingleBar({ format: `${title} {bar} {percentage}%`, clearOnComplete: true, linewrap });
  // Ctrl-C is listened to for as long as the bar may stand on the terminal, before anything else hears of it, and ends the
  // process unless something else decides that.
  const interrupt = () => {
    bar.stop();
    if (process.listenerCount('SIGINT') === 1) process.exit(INTERRUPTED);
  };
  process.prependListener('SIGINT', interrupt);
  try {
    bar.start(1, 0);
    return await work((done) => bar.update(done));
  } finally {
    bar.stop();
    process.off('SIGINT', interrupt);
  }
}

/** Asks questions at a terminal and returns the answers; what is typed is shown or hidden. Throws a CommandRefusal at the end of input, Interrupted on Ctrl-C. */
export async function ask(
  questions: readonly string[],
  { stdin, stderr }: CommandIo,
  typing: 'shown' | 'hidden',
): Promise<string[]> {
  const lines = createInterface({ input: stdin, output: echoTo(stderr, typing), terminal: true });
  const answers: string[] = [];
  const interruption = new AbortController();
  lines.on('SIGINT', () => {
    interruption.abort();
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
    if (interruption.signal.aborted) throw new Interrupted();
    throw new CommandRefusal('Nothing was typed.');
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

const echoTo = (stderr: CommandIo['stderr'], typing: 'shown' | 'hidden'): Writable =>
  new Writable({
    write(chunk, _, done) {
      if (typing === 'shown') stderr.write(String(chunk));
      done();
    },
  });
