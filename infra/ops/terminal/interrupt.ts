/** The exit code of a command that Ctrl-C has ended, as shells have it: 128 and the number of the signal. */
export const INTERRUPTED = 130;

/** Ctrl-C was typed at a question, or before anything was changed: nothing was done. */
export class Interrupted extends Error {}

function finishFirst(): void {
  process.stderr.write('The command shows what it has made, and ends then.\n');
}

/** Keeps Ctrl-C from ending the process between making a secret and printing it; the command ends right afterwards. */
export function holdInterrupts(): void {
  if (!process.listeners('SIGINT').includes(finishFirst)) process.on('SIGINT', finishFirst);
}

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

/**
 * Calls `leave` at Ctrl-C before anything else hears of it, so that it leaves the terminal in order, and then ends the process
 * unless something else decides that. Returns what takes it back.
 */
export function atInterrupt(leave: () => void): () => void {
  const interrupt = () => {
    leave();
    if (process.listenerCount('SIGINT') === 1) process.exit(INTERRUPTED);
  };
  process.prependListener('SIGINT', interrupt);
  return () => void process.off('SIGINT', interrupt);
}
