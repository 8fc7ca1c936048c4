import { afterEach, expect, it, vi } from 'vitest';
import { logRequest } from '../../../shared/runtime/log.ts';
import { reportMetrics } from '../../../shared/runtime/metrics.ts';
import { captureOutput } from '../../support/operators/output.ts';

afterEach(() => vi.restoreAllMocks());

// On Lambda, `console` puts what it is given under `message`, where no metric filter would find it.
it('writes JSON lines with their fields at the top to stdout itself, not through console', () => {
  const methods = ['log', 'info', 'warn', 'error'] as const;
  const spies = methods.map((method) => vi.spyOn(console, method).mockReturnValue());
  const written = captureOutput();
  reportMetrics({ quotasHalfUsed: 2 });
  logRequest({ status: 200 });
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  // Lambda takes level and time of such a line; without a time of RFC 3339 it would call every line INFO.
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(written.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'INFO', timestamp, message: 'metrics', quotasHalfUsed: 2 }),
    expect.objectContaining({ level: 'INFO', timestamp, message: 'request', status: 200 }),
  ]);
  for (const line of written) expect(line).toMatch(/^\{.*\}\n$/);
});
