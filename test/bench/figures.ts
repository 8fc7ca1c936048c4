/** A row of the table: what was measured, its value or several of one bar, and how it compares with a bare answer. */
export type Figure = {
  readonly what: string;
  readonly value: number | readonly number[];
  /** The bar of a rate, `/s`, is its least value; every other bar is the most. */
  readonly unit: string;
  readonly bar?: number | undefined;
  readonly ratio?: number;
};

/** Returns the value below which this share (0 to 1) of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Returns the duration of each run in milliseconds, after some warm-up runs. */
export async function timesMs(runs: number, run: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let index = -Math.ceil(runs / 5); index < runs; index++) {
    const start = performance.now();
    await run();
    if (index >= 0) times.push(performance.now() - start);
  }
  return times;
}

export const medianMs = async (runs: number, run: () => unknown): Promise<number> => median(await timesMs(runs, run));

export function toTableRow({ what, value, unit, bar, ratio }: Figure) {
  const values = [value].flat();
  const isHeld = (most: number) => values.every((each) => (unit === '/s' ? each >= most : each <= most));
  return {
    what,
    measured: `${values.map(round).join(', ')} ${unit}`,
    bar: bar === undefined ? '' : `${unit === '/s' ? '≥' : '≤'} ${bar}`,
    ratio: ratio === undefined ? '' : `${round(ratio)} ×`,
    held: bar === undefined ? '' : isHeld(bar) ? 'yes' : 'NO',
  };
}

const round = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
