import { vi } from 'vitest';

/** Captures what this process writes to stdout and stderr, which is not shown, until mocks are restored. */
export function captureOutput(): string[] {
  const written: string[] = [];
  const write = (chunk: unknown) => written.push(String(chunk)) > 0;
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write);
  return written;
}
