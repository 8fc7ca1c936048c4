/** A row of the table: the subject, its measured value, and the bar if there is one. */
export type Figure = {
  readonly what: string;
  /** The measured value, or several that have the same bar. */
  readonly value: number | readonly number[];
  readonly unit:
    | 'ms'
    | 's'
    | 'KB'
    | 'MB'
    | '/s'
    | '×'
    | '%'
    | 'calls'
    | 'pairs'
    | 'files'
    | 'round trips'
    | 'read units'
    | 'write units';
  readonly bar?: number;
  /** The measured value divided by that of a bare answer of the same bytes in the same run. */
  readonly ratio?: number;
};

const valuesOf = ({ value }: Figure): number[] => [value].flat();

const isHeld = (figure: Figure, bar: number): boolean =>
  valuesOf(figure).every((value) => (figure.unit === '/s' ? value >= bar : value <= bar));

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

export function printTable(figures: readonly Figure[]): void {
  console.table(figures.map(toTableRow));
}

function toTableRow(figure: Figure) {
  const { what, unit, bar, ratio } = figure;
  return {
    what,
    measured: `${valuesOf(figure).map(round).join(', ')} ${unit}`,
    bar: bar === undefined ? '' : `${unit === '/s' ? '≥' : '≤'} ${bar} ${unit}`,
    ratio: ratio === undefined ? '' : `${round(ratio)} ×`,
    held: bar === undefined ? '' : isHeld(figure, bar) ? 'yes' : 'NO',
  };
}

const round = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
