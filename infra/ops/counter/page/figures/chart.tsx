// biome-ignore-all lint/a11y/noInteractiveElementToNoninteractiveRole: Biome takes each <g> for a control
// biome-ignore-all lint/a11y/useSemanticElements: within a drawing there are no elements of forms
// biome-ignore-all lint/a11y/noAriaHiddenOnFocusable: Biome takes each <g> for one that takes the focus
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { DataTable } from '../ui/table.tsx';
import { type ChartData, type Fill, listTicks, spaceLabels } from './chart-data.ts';

/** Bars of stacked parts with their title and description, and the numbers behind them as a table. */
export function Chart({ title, description, rowTitle, rows, series, format, ...drawn }: ChartData) {
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
              <svg width="14" height="14" aria-hidden="true">
                <FilledBox fill={fill} x={0} y={0} width={14} height={14} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <Bars id={id} rows={rows} series={series} format={format} {...drawn} />
      <details>
        <summary>
          Ver los números<span class="for-screen-readers">: {title}</span>
        </summary>
        <DataTable
          caption={title}
          columns={[
            { key: 'row', title: rowTitle, isHeader: true, cell: ({ name }: ChartData['rows'][number]) => name },
            ...series.map(({ name }, index) => ({
              key: `series-${index}`,
              title: name,
              align: 'end' as const,
              cell: ({ values }: ChartData['rows'][number]) => format(values[index] ?? 0),
            })),
          ]}
          rows={rows}
          rowKey={({ key }) => key}
        />
      </details>
    </section>
  );
}

const HEIGHT = 200;
const TICKS = 4;
/** An upper bound of the width of a letter or digit of an axis. */
const LETTER_WIDTH = 7;
const LABEL_GAP = 8;

type BarsProps = Pick<ChartData, 'rows' | 'series' | 'smallestStep' | 'format' | 'formatTick'> & {
  readonly id: string;
};

/** Bars on a line, as wide as their place allows. The one that is pointed at or has the focus is told below. */
function Bars({ id, rows, series, smallestStep, format, formatTick = format }: BarsProps) {
  const { element, width } = useWidth();
  const { chart, current, onKeyDown, toBarProps } = useBarFocus(rows.length);
  const toParts = (values: readonly number[]) =>
    series.flatMap(({ fill }, index) => (fill ? [{ fill, value: values[index] ?? 0 }] : []));
  const sum = (values: readonly number[]) => toParts(values).reduce((total, { value }) => total + value, 0);
  const ticks = listTicks(Math.max(...rows.map(({ values }) => sum(values))), TICKS, smallestStep);
  const left = LETTER_WIDTH * Math.max(...ticks.map((tick) => formatTick(tick).length)) + 10;
  const area = { left, right: width - 1, top: 8, bottom: HEIGHT - 24 };
  const step = (area.right - area.left) / rows.length;
  const scale = (area.bottom - area.top) / (ticks.at(-1) ?? 1);
  const toX = (index: number) => area.left + step * index;
  const told = (row: ChartData['rows'][number]) => `${row.name}: ${tellValues(row.values, series, format)}`;
  return (
    <div ref={element}>
      <svg
        ref={chart}
        width={width}
        height={HEIGHT}
        role="group"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-description`}
        onKeyDown={onKeyDown}
      >
        <g class="axis" aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick} transform={`translate(0 ${area.bottom - tick * scale})`}>
              <line x1={area.left} x2={area.right} />
              <text x={area.left - 6} dy="0.32em" text-anchor="end">
                {formatTick(tick)}
              </text>
            </g>
          ))}
        </g>
        {rows.map((row, index) => (
          <g
            key={row.key}
            class={index === current ? 'bar current' : 'bar'}
            role="img"
            aria-label={told(row)}
            {...toBarProps(index)}
          >
            <rect class="place" x={toX(index)} y={area.top} width={step} height={area.bottom - area.top} />
            <BarParts parts={toParts(row.values)} x={toX(index)} step={step} bottom={area.bottom} scale={scale} />
          </g>
        ))}
        <g class="axis" aria-hidden="true">
          {chooseLabels(rows, area.right - area.left).map(({ label, index }) => (
            <text key={index} x={toX(index + 0.5)} y={area.bottom + 16} text-anchor="middle">
              {label}
            </text>
          ))}
        </g>
      </svg>
      <p class="readout soft" aria-hidden="true">
        {current !== undefined && rows[current]
          ? told(rows[current])
          : 'Señale una barra, o use las flechas del teclado.'}
      </p>
    </div>
  );
}

/** Tells the values of a bar: that of a plain one, or those that a stacked one has by their names; 0 if it has none. */
function tellValues(values: readonly number[], series: ChartData['series'], format: ChartData['format']): string {
  const drawn = series.map(({ name, fill }, index) => ({ name, fill, value: values[index] ?? 0 }));
  const stacked = drawn.filter(({ fill }) => fill !== undefined);
  if (stacked.length === 1) return format(stacked[0]?.value ?? 0);
  const present = stacked.filter(({ value }) => value > 0);
  return present.map(({ name, value }) => `${name} ${format(value)}`).join(', ') || '0';
}

/** Returns the labels below the bars, as many as have room. */
function chooseLabels(rows: ChartData['rows'], width: number) {
  const labels = rows.flatMap(({ label }, index) => (label === '' ? [] : { label, index }));
  const labelWidth = LETTER_WIDTH * Math.max(...labels.map(({ label }) => label.length)) + LABEL_GAP;
  const every = spaceLabels(labels.length, { width, labelWidth });
  return labels.filter((_, place) => place % every === 0);
}

type BarPartsProps = {
  readonly parts: readonly { readonly fill: Fill; readonly value: number }[];
  readonly x: number;
  readonly step: number;
  readonly bottom: number;
  readonly scale: number;
};

const WIDEST_BAR = 48;
// Keeps the parts of a bar apart; a part that is lower has none.
const PART_GAP = 1;

function BarParts({ parts, x, step, bottom, scale }: BarPartsProps) {
  const width = Math.min(WIDEST_BAR, Math.max(1, step * 0.8));
  let top = bottom;
  return parts
    .filter(({ value }) => value > 0)
    .map(({ fill, value }) => {
      const height = value * scale;
      top -= height;
      return (
        <FilledBox
          key={`${fill.colour} ${fill.texture}`}
          fill={fill}
          x={x + (step - width) / 2}
          y={top}
          width={width}
          height={height > 2 * PART_GAP ? height - PART_GAP : height}
        />
      );
    });
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

const FilledBox = ({ fill, ...box }: Box & { readonly fill: Fill | undefined }) => (
  <>
    <rect class={`part ${fill?.colour}`} {...box} />
    {fill?.texture && <rect {...box} fill={`url(#${fill.texture})`} />}
  </>
);

/** The patterns of the textures. Stands in the view once. */
export const Textures = () => (
  <svg class="for-screen-readers" aria-hidden="true">
    <defs>
      <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="chart-texture" width="3" height="6" />
      </pattern>
      <pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">
        <circle class="chart-texture" cx="2.5" cy="2.5" r="1.4" />
      </pattern>
    </defs>
  </svg>
);

const MOVES: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => Math.max(0, index - 1),
  ArrowRight: (index, last) => Math.min(last, index + 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Makes the bars of a chart one stop of the Tab key, among which the arrow keys go; `current` was pointed at last. */
function useBarFocus(count: number) {
  const [current, setCurrent] = useState<number>();
  const chart = useRef<SVGSVGElement>(null);
  const stop = Math.min(current ?? 0, count - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = MOVES[event.key]?.(stop, count - 1);
    if (next === undefined) return;
    event.preventDefault();
    chart.current?.querySelectorAll<SVGGElement>('.bar')[next]?.focus();
  };
  const toBarProps = (index: number) => ({
    tabIndex: index === stop ? 0 : -1,
    onFocus: () => setCurrent(index),
    onPointerEnter: () => setCurrent(index),
  });
  return { chart, current, onKeyDown, toBarProps };
}

const FIRST_WIDTH = 320;

/** Follows the width of an element, so that what is drawn in it has its own size, and text stays as large as elsewhere. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
