import { useId, useState } from 'preact/hooks';
import { toStyle } from '../ui/statuses.tsx';
import { DataTable } from '../ui/view.tsx';
import { type ChartData, listTicks, type Row } from './chart-data.ts';

export function Chart(chart: ChartData) {
  const { title, description, rowTitle, rows, series, format } = chart;
  const id = useId();
  const stacked = series.filter(({ fill }) => fill !== undefined);
  return (
    <section class="card chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="soft">{description}</p>
      {stacked.length > 1 && (
        <ul class="row small">
          {stacked.map(({ name, fill }) => (
            <li key={name}>
              <Part fill={fill} /> {name}
            </li>
          ))}
        </ul>
      )}
      <Bars {...chart} />
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
          rowKey={({ name }) => name}
        />
      </details>
    </section>
  );
}

type PartProps = { readonly fill: ChartData['series'][number]['fill']; readonly height?: string };
const Part = ({ fill = { tone: 'accent', texture: 'full' }, height }: PartProps) => (
  <span class={`part ${fill.texture}`} style={{ ...toStyle(fill.tone), height }} aria-hidden="true" />
);

const TICKS = 4;

/** Bars on a line. The one that is pointed at, or chosen by the arrow keys of a hidden slider, is told below. */
function Bars({ title, rows, series, format, formatTick }: ChartData) {
  const [current, setCurrent] = useState<number>();
  const listParts = ({ values }: Row) =>
    series.flatMap(({ name, fill }, index) => (fill ? [{ name, fill, value: values[index] ?? 0 }] : []));
  const sum = (row: Row) => listParts(row).reduce((total, { value }) => total + value, 0);
  const ticks = listTicks(Math.max(0, ...rows.map(sum)), TICKS);
  const top = ticks.at(-1) ?? 1;
  const labels = chooseLabels(rows);
  const tell = (row: Row | undefined) => row && `${row.name}: ${partsText(listParts(row), format)}`;
  const at = Math.min(current ?? 0, rows.length - 1);
  return (
    <div>
      <div class="plot">
        <ol class="ticks" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <li key={tick}>{formatTick(tick)}</li>
          ))}
        </ol>
        <div class="bars" style={{ '--steps': ticks.length - 1 }}>
          {rows.map((row, index) => (
            <div
              key={row.name}
              class={index === current ? 'bar current' : 'bar'}
              aria-hidden="true"
              onPointerEnter={() => setCurrent(index)}
            >
              {listParts(row)
                .filter(({ value }) => value > 0)
                .map(({ name, fill, value }) => (
                  <Part key={name} fill={fill} height={`${(100 * value) / top}%`} />
                ))}
              {labels.has(row) && <span class={`label ${labels.get(row)}`}>{row.label}</span>}
            </div>
          ))}
          <input
            type="range"
            aria-label={`Barras: ${title}`}
            aria-valuetext={tell(rows[at])}
            max={rows.length - 1}
            value={at}
            onFocus={() => setCurrent(at)}
            onInput={({ currentTarget }) => setCurrent(Number(currentTarget.value))}
          />
        </div>
      </div>
      <p class="readout soft small">
        {current === undefined ? 'Señale una barra, o use las flechas del teclado.' : tell(rows[at])}
      </p>
    </div>
  );
}

/** Tells the values of a bar: that of a plain one, or those that a stacked one has by their names; 0 if it has none. */
function partsText(parts: readonly { name: string; value: number }[], format: ChartData['format']): string {
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
