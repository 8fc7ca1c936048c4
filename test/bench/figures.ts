/** A row of the table: what was measured, the figure, and the bar it has to hold. */
export type Figure = {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 'KB' | '/s' | 'calls';
  readonly bar: number;
  /** Against a bare answer of the same bytes in the same run. */
  readonly ratio?: number;
};

export const isHeld = ({ value, bar, unit }: Figure): boolean => (unit === '/s' ? value >= bar : value <= bar);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of so many runs, in milliseconds, after some that do not count. */
export async function medianMs(runs: number, run: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let index = -Math.ceil(runs / 5); index < runs; index++) {
    const start = performance.now();
    await run();
    if (index >= 0) times.push(performance.now() - start);
  }
  return median(times);
}

export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => ({
    what: figure.what,
    median: `${round(figure.value)} ${figure.unit}`,
    bar: `${figure.unit === '/s' ? '≥' : '≤'} ${figure.bar} ${figure.unit}`,
    ratio: figure.ratio === undefined ? '' : `${round(figure.ratio)} ×`,
    held: isHeld(figure) ? 'yes' : 'NO',
  }));
  console.table(rows);
}

const round = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
