import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';

type Fake<Call, Outcome> = {
  script(choose?: (call: Call) => Outcome | undefined): void;
  connections(): Promise<number>;
};

/**
 * Begins each test of a file with a fake provider that serves well. A test must leave no open connection, no unhandled
 * rejection and nothing personal in the log behind. Returns the errors that a test has logged.
 */
export function watchProvider<Call, Outcome>(fake: Fake<Call, Outcome>, personal: RegExp): string[] {
  const errors: string[] = [];
  const rejections: unknown[] = [];
  const remember = (reason: unknown) => rejections.push(reason);
  beforeAll(() => void process.on('unhandledRejection', remember));
  afterAll(() => void process.off('unhandledRejection', remember));
  beforeEach(() => {
    fake.script();
    errors.length = 0;
    const write = (line: unknown) => String(line).includes('"level":"ERROR"') && errors.push(String(line)) > 0;
    for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await vi.waitFor(async () => expect(await fake.connections()).toBe(0), { timeout: 10_000 });
    expect(rejections).toEqual([]);
    expect(errors.join()).not.toMatch(personal);
  });
  return errors;
}

/** Scripts this outcome for the first such call; all other calls are served normally. */
export function scriptOnce<Call, Outcome>(
  fake: Fake<Call, Outcome>,
  isMeant: (call: Call) => boolean,
  outcome: Outcome,
): void {
  let isDone = false;
  fake.script((call) => {
    if (isDone || !isMeant(call)) return undefined;
    isDone = true;
    return outcome;
  });
}
