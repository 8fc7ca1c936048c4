import { fstatSync, writeFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Call, CommandIo, CommandResult, ExitCode } from '../command.ts';
import { printableJson, printableLines } from './text-table.ts';

/** Returns a stream whose `write` resolves once the system has taken the whole text, and rejects if it does not take it. */
export function confirmWrites(stream: Writable & { readonly fd: number }): CommandIo['stdout'] {
  ignoreErrors(stream);
  // To a file Node's stream writes once, and takes a part that a full disk has still taken for the whole.
  if (fstatSync(stream.fd).isFile()) return { write: async (text) => writeFileSync(stream.fd, text) };
  return {
    write: (text) =>
      new Promise<void>((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve()))),
  };
}

/** Keeps a stream whose reader has gone from ending the process with a stack trace. */
export function ignoreErrors<Stream extends Writable>(stream: Stream): Stream {
  return stream.on('error', () => undefined);
}

/** Prints the result of a command, and returns its exit code. */
export async function printResult(
  result: CommandResult,
  { stdout, stderr, isJson }: Pick<Call, 'stdout' | 'stderr' | 'isJson'>,
): Promise<ExitCode> {
  const { document, text, remark, failure } = result;
  try {
    await stdout.write(isJson || text === undefined ? `${printableJson(document)}\n` : printableLines(text));
  } catch (error) {
    return complain(error, result, stderr);
  }
  if (remark && !isJson) stderr.write(`${printableLines(remark)}\n`);
  if (failure) stderr.write(`${printableLines(failure)}\n`);
  return failure === undefined ? 0 : 1;
}

/** A reader that has read enough, as `head`, is no failure, unless the result is shown only this once. */
function complain(error: unknown, { failure, unprinted }: CommandResult, stderr: CommandIo['stderr']): ExitCode {
  const code = errorCode(error);
  const isReadEnough = code === 'EPIPE' && unprinted === undefined;
  if (!isReadEnough)
    stderr.write(`The result could not be printed (${code}). ${unprinted ?? ''}`.trimEnd().concat('\n'));
  return isReadEnough && failure === undefined ? 0 : 1;
}

/** Returns the system's code of an error: `ENOSPC`. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
