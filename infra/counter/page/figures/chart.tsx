import { useState } from 'preact/hooks';
import { type Status, toStyle } from '../ui/statuses.ts';
import { DataTable, Part } from '../ui/view.tsx';
import { type Bar, type ChartData, listTicks } from './chart-data.ts';

const TICKS = 4;
const MOST_LABELS = 7;

/** A text below describes the bar under the pointer, or the one chosen by the arrow keys of a hidden slider. */
export function Chart({ title, rowTitle, bars, series, format, formatTick }: ChartData) {
  const [current, setCurrent] = useState<number>();
  const drawn = series.filter(({ isInTableAlone }) => !isInTableAlone);
  const sums = bars.map(({ values }) => drawn.reduce((sum, _, index) => sum + (values[index] ?? 0), 0));
  const ticks = listTicks(Math.max(0, ...sums), TICKS);
  const top = ticks.at(-1) ?? 1;
  const labelled = bars.filter(({ label }) => label !== '');
  const labels = labelled.filter((_, index) => index % Math.ceil(labelled.length / MOST_LABELS) === 0);
  const at = Math.min(current ?? 0, bars.length - 1);
  const told = bars[at] && `${bars[at].name}: ${valuesText(bars[at], drawn, format)}`;
  return (
    <Part title={title}>
      {drawn.length > 1 && (
        <ul class="row small">
          {drawn.map(({ name, ...look }) => (
            <li key={name}>
              <Block {...look} /> {name}
            </li>
          ))}
        </ul>
      )}
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
                {drawn.map(({ name, ...look }, each) => {
                  const value = bar.values[each] ?? 0;
                  return value > 0 && <Block key={name} {...look} height={`${(100 * value) / top}%`} />;
                })}
                {labels.includes(bar) && <span class="label">{bar.label}</span>}
              </div>
            ))}
            <input
              type="range"
              aria-label={`Barras: ${title}`}
              aria-valuetext={told}
              max={bars.length - 1}
              value={at}
              onFocus={() => setCurrent(at)}
              onInput={({ currentTarget }) => setCurrent(Number(currentTarget.value))}
            />
          </div>
        </div>
        <p class="readout soft small">
          {current === undefined ? 'Señale una barra, o use las flechas del teclado.' : told}
        </p>
      </div>
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
              class: 'end',
              cell: ({ values }: Bar) => format(values[index] ?? 0),
            })),
          ]}
          rows={bars}
        />
      </details>
    </Part>
  );
}

type BlockProps = Omit<Status, 'text'> & { readonly height?: string };

const Block = ({ tone, texture, height }: BlockProps) => (
  <span class={`part ${texture}`} style={{ ...toStyle(tone), ...(height && { height }) }} aria-hidden="true" />
);

/** Returns the value of a plain bar, or the named values of a stacked one that are not 0; '0' if all are. */
function valuesText({ values }: Bar, series: ChartData['series'], format: ChartData['format']): string {
  if (series.length === 1) return format(values[0] ?? 0);
  const texts = series.map(({ name }, index) => (values[index] ? `${name} ${format(values[index])}` : ''));
  return texts.filter(Boolean).join(', ') || '0';
}
