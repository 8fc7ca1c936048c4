/*
 * Starts a function as Lambda's runtime does: `node cold-start.ts <bundle> <event as JSON>` imports the bundle (INIT), passes
 * the event to its handler, and prints how long both took.
 */
const [, , bundle = '', event = '{}'] = process.argv;

const startedAt = performance.now();
const { handler } = await import(bundle);
const initializedAt = performance.now();
const { statusCode } = await handler(JSON.parse(event), { getRemainingTimeInMillis: () => 10_000 });
const answeredAt = performance.now();

if (statusCode >= 300) throw new Error(`the function answered ${statusCode}`);
console.log(JSON.stringify({ initMs: initializedAt - startedAt, firstMs: answeredAt - initializedAt }));
