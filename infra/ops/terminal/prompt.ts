import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type CommandIo, CommandRefusal } from '../command.ts';

/** What somebody types at a terminal in answer to each question. */
export const ask = (questions: readonly string[], io: CommandIo): Promise<string[]> =>
  answers(
    questions,
    io,
    written((text) => io.stderr.write(text)),
  );

/** The same without showing what is typed. */
export const askSecretly = (questions: readonly string[], io: CommandIo): Promise<string[]> =>
  answers(
    questions,
    io,
    written(() => undefined),
  );

const written = (write: (text: string) => unknown): Writable =>
  new Writable({
    write(chunk, _, done) {
      write(String(chunk));
      done();
    },
  });

async function answers(questions: readonly string[], io: CommandIo, echo: Writable): Promise<string[]> {
  const lines = createInterface({ input: io.stdin, output: echo, terminal: true });
  const typed: string[] = [];
  try {
    io.stderr.write(questions[0] ?? '');
    for await (const line of lines) {
      typed.push(line);
      const next = questions[typed.length];
      if (next === undefined) return typed;
      io.stderr.write(`\n${next}`);
    }
    throw new CommandRefusal('Nothing was typed.');
  } finally {
    lines.close();
    io.stderr.write('\n');
  }
}
