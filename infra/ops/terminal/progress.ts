import { SingleBar } from 'cli-progress';
import type { CommandIo } from '../command.ts';

/** Runs `work` with a progress bar on stderr at a terminal; it reports its progress from 0 to 1. */
export async function withProgress<Result>(
  title: string,
  io: CommandIo,
  work: (onProgress: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  if (!io.isTerminal) return work(() => undefined);
  const bar = new SingleBar({ format: `${title} {bar} {percentage}%`, clearOnComplete: true });
  bar.start(1, 0);
  try {
    return await work((done) => bar.update(done));
  } finally {
    bar.stop();
  }
}
