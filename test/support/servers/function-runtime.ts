/*
 * Runs a bundle as Lambda's runtime does: `node function-runtime.ts <bundle> <ms ahead>` imports it and passes events
 * to its handler. The clock may be ahead for jobs, so that work that is due later is due now.
 */
const [, , bundle = '', ahead = '0'] = process.argv;

const RealDate = Date;
class LaterDate extends RealDate {
  constructor(...args: [] | [string | number | Date]) {
    if (args.length === 0) super(LaterDate.now());
    else super(args[0]);
  }
  static override now(): number {
    return RealDate.now() + Number(ahead);
  }
}
if (ahead !== '0') globalThis.Date = LaterDate as DateConstructor;

const { handler } = await import(bundle);

type Call = {
  readonly id: number;
  readonly event: unknown;
  readonly context: object;
  readonly timeMs: number | undefined;
};

process.on('message', async ({ id, event, context, timeMs }: Call) => {
  const deadline = performance.now() + Number(timeMs);
  const clock = timeMs !== undefined && { getRemainingTimeInMillis: () => deadline - performance.now() };
  try {
    process.send?.({ id, answer: (await handler(event, { ...context, ...clock })) ?? null });
  } catch (error) {
    process.send?.({ id, failure: error instanceof Error ? error.stack : String(error) });
  }
});
process.send?.('ready');
