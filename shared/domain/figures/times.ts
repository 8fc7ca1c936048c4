/** The number of times, their median and their 90th percentile; null if there are none. */
export type Spread = { readonly count: number; readonly median: number | null; readonly p90: number | null };

/** Returns the spread of times, which come with the shortest first; both marks are times that occur. */
export const spreadTimes = (sorted: readonly number[]): Spread => ({
  count: sorted.length,
  median: pickTime(sorted, 0.5),
  p90: pickTime(sorted, 0.9),
});

// The nearest rank: the shortest time that this share of all does not exceed.
const pickTime = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? null;

/** The number of orders with a time from `from` to `until` minutes, which is not in it; null is without end. */
export type TimeCount = { readonly from: number; readonly until: number | null; readonly orders: number };

const HOUR = 60;
const DAY = 24 * HOUR;
const BOUNDS = [0, 15, 30, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, DAY, 2 * DAY, 4 * DAY, 8 * DAY] as const;

/** Counts times in minutes by how long they are, in steps that grow from a quarter of an hour to days. */
export const countTimes = (minutes: readonly number[]): TimeCount[] =>
  BOUNDS.map((from, index) => {
    const until = BOUNDS[index + 1] ?? null;
    const within = minutes.filter((time) => time >= from && (until === null || time < until));
    return { from, until, orders: within.length };
  });
