/** The exit code of a command that Ctrl-C has ended, as shells have it: 128 and the number of the signal. */
export const INTERRUPTED = 130;

/** Ctrl-C was typed at a question: nothing is said, and nothing was done. */
export class Interrupted extends Error {}

function finishFirst(): void {
  process.stderr.write('The command shows what it has made, and ends then.\n');
}

/** Keeps Ctrl-C from ending the process between making a secret and printing it; the command ends right afterwards. */
export function holdInterrupts(): void {
  if (!process.listeners('SIGINT').includes(finishFirst)) process.on('SIGINT', finishFirst);
}
