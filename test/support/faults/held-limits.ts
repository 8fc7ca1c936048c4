import { vi } from 'vitest';

/** The time limits that `AbortSignal.timeout` gives, none of which passes by itself. */
export type HeldLimits = {
  /** Ends all calls under way whose limit is this number of milliseconds. */
  end(ms: number): void;
  /** Lets the limits of later calls pass by themselves again, as `vi.restoreAllMocks` does. */
  release(): void;
};

/** Holds the time limits of calls until the test ends them. */
export function holdLimits(): HeldLimits {
  const limits: { readonly ms: number; readonly passed: AbortController }[] = [];
  const held = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const passed = new AbortController();
    limits.push({ ms, passed });
    return passed.signal;
  });
  return {
    end(ms) {
      const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      for (const limit of limits) if (limit.ms === ms) limit.passed.abort(error);
    },
    release: () => held.mockRestore(),
  };
}
