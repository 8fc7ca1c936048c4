// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the bars of a chart are one stop of the Tab key, among which the arrows go
// biome-ignore-all lint/a11y/useSemanticElements: what is drawn by styles has no element of its own
import { useId, useRef, useState } from 'preact/hooks';
import { DataTable } from '../ui/table.tsx';
import { type ChartData, listTicks, type Row } from './chart-data.ts';

/** Bars of stacked parts with their title and description, and the numbers behind them as a table. */
export function Chart(chart: ChartData) {
  const { title, description, rowTitle, rows, series, format } = chart;
  const id = useId();
  const stacked = series.filter(({ fill }) => fill !== undefined);
  return (
    <section class="card chart" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-description`} class="soft">
        {description}
      </p>
      {stacked.length > 1 && (
        <ul class="legend">
          {stacked.map(({ name, fill }) => (
            <li key={name}>
              <span class={`part ${fill}`} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      )}
      <Bars {...chart} id={id} />
      <details>
        <summary>
          Ver los números<span class="for-screen-readers">: {title}</span>
        </summary>
        <DataTable
          caption={title}
          columns={[
            { key: 'row', title: rowTitle, isHeader: true, cell: ({ name }: Row) => name },
            ...series.map(({ name }, index) => ({
              key: `series-${index}`,
              title: name,
              align: 'end' as const,
              cell: ({ values }: Row) => format(values[index] ?? 0),
            })),
          ]}
          rows={rows}
          rowKey={({ key }) => key}
        />
      </details>
    </section>
  );
}

const TICKS = 4;

/** Bars on a line, as wide as their place allows. The one that is pointed at or has the focus is told below. */
function Bars({ id, rows, series, format, formatTick = format }: ChartData & { readonly id: string }) {
  const { chart, current, onKeyDown, toBarProps } = useBarFocus(rows.length);
  const listParts = ({ values }: Row) =>
    series.flatMap(({ name, fill }, index) => (fill ? [{ name, fill, value: values[index] ?? 0 }] : []));
  const sum = (row: Row) => listParts(row).reduce((total, { value }) => total + value, 0);
  const ticks = listTicks(Math.max(...rows.map(sum)), TICKS);
  const top = ticks.at(-1) ?? 1;
  const labels = chooseLabels(rows);
  const tell = (row: Row) => `${row.name}: ${tellParts(listParts(row), format)}`;
  return (
    <div>
      <div class="plot">
        <ol class="ticks" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <li key={tick}>{formatTick(tick)}</li>
          ))}
        </ol>
        <div
          ref={chart}
          class="bars"
          role="group"
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-description`}
          style={{ '--steps': ticks.length - 1 }}
          onKeyDown={onKeyDown}
        >
          {rows.map((row, index) => (
            <div
              key={row.key}
              class={index === current ? 'bar current' : 'bar'}
              role="img"
              aria-label={tell(row)}
              {...toBarProps(index)}
            >
              {listParts(row)
                .filter(({ value }) => value > 0)
                .map(({ name, fill, value }) => (
                  <span key={name} class={`part ${fill}`} style={{ height: `${(100 * value) / top}%` }} />
                ))}
              {labels.has(row) && <span class={`label ${labels.get(row)}`}>{row.label}</span>}
            </div>
          ))}
        </div>
      </div>
      <p class="readout soft" aria-hidden="true">
        {current !== undefined && rows[current]
          ? tell(rows[current])
          : 'Señale una barra, o use las flechas del teclado.'}
      </p>
    </div>
  );
}

/** Tells the values of a bar: that of a plain one, or those that a stacked one has by their names; 0 if it has none. */
function tellParts(parts: readonly { name: string; value: number }[], format: ChartData['format']): string {
  if (parts.length === 1) return format(parts[0]?.value ?? 0);
  const present = parts.filter(({ value }) => value > 0);
  return present.map(({ name, value }) => `${name} ${format(value)}`).join(', ') || '0';
}

/** The labels that have room below the bars on a wide screen; a narrow one leaves every second of them out. */
const MOST_LABELS = 8;

/** Returns the rows whose labels are shown, with the class of each: `minor` for those that a narrow screen leaves out. */
function chooseLabels(rows: readonly Row[]): ReadonlyMap<Row, string> {
  const labelled = rows.filter(({ label }) => label !== '');
  const every = Math.ceil(labelled.length / MOST_LABELS);
  const shown = labelled.filter((_, index) => index % every === 0);
  return new Map(shown.map((row, index) => [row, index % 2 === 0 ? '' : 'minor']));
}

const MOVES: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => Math.max(0, index - 1),
  ArrowRight: (index, last) => Math.min(last, index + 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Makes the bars of a chart one stop of the Tab key, among which the arrow keys go; `current` was pointed at last. */
function useBarFocus(count: number) {
  const [current, setCurrent] = useState<number>();
  const chart = useRef<HTMLDivElement>(null);
  const stop = Math.min(current ?? 0, count - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = MOVES[event.key]?.(stop, count - 1);
    if (next === undefined) return;
    event.preventDefault();
    chart.current?.querySelectorAll<HTMLElement>('.bar')[next]?.focus();
  };
  const toBarProps = (index: number) => ({
    tabIndex: index === stop ? 0 : -1,
    onFocus: () => setCurrent(index),
    onPointerEnter: () => setCurrent(index),
  });
  return { chart, current, onKeyDown, toBarProps };
}
