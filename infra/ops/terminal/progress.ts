import { SingleBar } from 'cli-progress';
import type { CommandIo } from '../command.ts';
import { atInterrupt } from './interrupt.ts';

/** Runs `work` with a progress bar on stderr at a terminal; it reports its progress from 0 to 1. */
export async function withProgress<Result>(
  title: string,
  io: CommandIo,
  work: (onProgress: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  if (!io.isTerminal) return work(() => undefined);
  // Without it the bar switches line wrapping off, which stays off when a signal ends the process.
  const linewrap = true;
  const bar = new SingleBar({ format: `${title} {bar} {percentage}%`, clearOnComplete: true, linewrap });
  // Ctrl-C is listened to for as long as the bar may stand on the terminal: from before its first drawing until after its last.
  const release = atInterrupt(() => bar.stop());
  try {
    bar.start(1, 0);
    return await work((done) => bar.update(done));
  } finally {
    bar.stop();
    release();
  }
}
