import { Refusal } from '../domain/fault.ts';

const RETRY_AFTER_SECONDS = 2;

/** The pages of a query for as long as there is time; refused as `unavailable` when it is up and there are more. */
export async function* inTime<Page>(pages: AsyncIterable<Page>, deadline: number): AsyncGenerator<Page> {
  let isLate = false;
  for await (const page of pages) {
    if (isLate) throw new Refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    yield page;
    isLate = Date.now() >= deadline;
  }
}
