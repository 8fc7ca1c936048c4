import { vi } from 'vitest';

/** Captures and hides the output on stdout and stderr until mocks are restored. */
export function captureOutput(): string[] {
  const written: string[] = [];
  const write = (chunk: unknown) => written.push(String(chunk)) > 0;
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write);
  return written;
}
