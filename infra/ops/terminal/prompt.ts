import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type CommandIo, CommandRefusal } from '../command.ts';
import { Interrupted } from './interrupt.ts';

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
