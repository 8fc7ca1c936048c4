import { fstatSync, writeFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { toErrorCode } from '../../../shared/runtime/system-error.ts';
import type { Call, CommandIo, CommandResult, ExitCode } from '../command.ts';
import { printableJson, printableLines } from './text-table.ts';

/** Returns a stream whose `write` resolves once the system has taken the whole text, and rejects if it does not take it. */
export function confirmWrites(
  stream: Writable & { readonly fd: number; readonly isTTY?: boolean },
): CommandIo['stdout'] {
  ignoreErrors(stream);
  // To a file Node's stream writes once, and takes a part that a full disk has still taken for the whole.
  if (fstatSync(stream.fd).isFile()) return { write: async (text) => writeFileSync(stream.fd, text) };
  return {
    isTTY: stream.isTTY === true,
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
    return complain(toErrorCode(error), result, stderr);
  }
  if (remark && !isJson) stderr.write(`${printableLines(remark)}\n`);
  if (failure) stderr.write(`${printableLines(failure)}\n`);
  return failure === undefined ? 0 : 1;
}

/**
 * A reader that has read enough, as `head`, is no failure, unless the result is shown only this once: that is shown on the
 * terminal then. Where there is none it is not written to stderr, which may be a log.
 */
function complain(code: string, result: CommandResult, stderr: CommandIo['stderr']): ExitCode {
  const { text, failure, unprinted } = result;
  if (code === 'EPIPE' && unprinted === undefined) return failure === undefined ? 0 : 1;
  const complaint = `The result could not be printed (${code}).`;
  const isForTerminal = unprinted !== undefined && text !== undefined && stderr.isTTY === true;
  const rest = isForTerminal ? `Here it is:\n\n${printableLines(text)}` : (unprinted ?? '');
  stderr.write(`${complaint} ${rest}`.trimEnd().concat('\n'));
  return 1;
}
