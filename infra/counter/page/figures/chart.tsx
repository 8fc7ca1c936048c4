import { useState } from 'preact/hooks';
import { toStyle } from '../ui/statuses.ts';
import { DataTable, Part } from '../ui/view.tsx';
import { type Bar, type ChartData, listTicks } from './chart-data.ts';

export function Chart(chart: ChartData) {
  const { title, rowTitle, bars, series, format } = chart;
  const fills = series.flatMap(({ name, fill }) => (fill ? [{ name, fill }] : []));
  return (
    <Part title={title}>
      {fills.length > 1 && (
        <ul class="row small">
          {fills.map(({ name, fill }) => (
            <li key={name}>
              <span class={`part ${fill.texture}`} style={toStyle(fill.tone)} aria-hidden="true" /> {name}
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
            { title: rowTitle, isHeader: true, cell: ({ name }: Bar) => name },
            ...series.map(({ name }, index) => ({
              title: name,
              align: 'end' as const,
              cell: ({ values }: Bar) => format(values[index] ?? 0),
            })),
          ]}
          rows={bars}
        />
      </details>
    </Part>
  );
}

const TICKS = 4;
const MOST_LABELS = 7;

/** The text below describes the bar under the pointer, or the one chosen by the arrow keys of a hidden slider. */
function Bars({ title, bars, series, format, formatTick }: ChartData) {
  const [current, setCurrent] = useState<number>();
  const listParts = ({ values }: Bar) =>
    series.flatMap(({ name, fill }, index) => (fill ? [{ name, fill, value: values[index] ?? 0 }] : []));
  const sums = bars.map((bar) => listParts(bar).reduce((sum, { value }) => sum + value, 0));
  const ticks = listTicks(Math.max(0, ...sums), TICKS);
  const top = ticks.at(-1) ?? 1;
  const labelled = bars.filter(({ label }) => label !== '');
  const labels = labelled.filter((_, index) => index % Math.ceil(labelled.length / MOST_LABELS) === 0);
  const at = Math.min(current ?? 0, bars.length - 1);
  const tell = (bar: Bar | undefined) => bar && `${bar.name}: ${partsText(listParts(bar), format)}`;
  return (
    <div>
      <div class="plot">
        <ol class="ticks" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <li key={tick}>{formatTick(tick)}</li>
          ))}
        </ol>
        <div class="bars" style={{ '--steps': ticks.length - 1 }}>
          {bars.map((bar, index) => (
            <div
              key={bar.name}
              class={index === current ? 'bar current' : 'bar'}
              aria-hidden="true"
              onPointerEnter={() => setCurrent(index)}
            >
              {listParts(bar).map(({ name, fill: { tone, texture }, value }) => {
                const style = { ...toStyle(tone), height: `${(100 * value) / top}%` };
                return value > 0 && <span key={name} class={`part ${texture}`} style={style} />;
              })}
              {labels.includes(bar) && <span class="label">{bar.label}</span>}
            </div>
          ))}
          <input
            type="range"
            aria-label={`Barras: ${title}`}
            aria-valuetext={tell(bars[at])}
            max={bars.length - 1}
            value={at}
            onFocus={() => setCurrent(at)}
            onInput={({ currentTarget }) => setCurrent(Number(currentTarget.value))}
          />
        </div>
      </div>
      <p class="readout soft small">
        {current === undefined ? 'Señale una barra, o use las flechas del teclado.' : tell(bars[at])}
      </p>
    </div>
  );
}

/** Returns the value of a plain bar, or the named values of a stacked one that are not 0; '0' if all are. */
function partsText(parts: readonly { name: string; value: number }[], format: ChartData['format']): string {
  if (parts.length === 1) return format(parts[0]?.value ?? 0);
  const present = parts.filter(({ value }) => value > 0);
  return present.map(({ name, value }) => `${name} ${format(value)}`).join(', ') || '0';
}
