import { vi } from 'vitest';

/** What this process writes from now on, until mocks are restored; nothing of it is shown. */
export function captureOutput(): string[] {
  const written: string[] = [];
  const write = (chunk: unknown) => written.push(String(chunk)) > 0;
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write);
  return written;
}
