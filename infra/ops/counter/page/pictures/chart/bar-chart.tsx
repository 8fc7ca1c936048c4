// biome-ignore-all lint/a11y/noInteractiveElementToNoninteractiveRole: Biome takes each <g> for a control
// biome-ignore-all lint/a11y/useSemanticElements: within a drawing there are no elements of forms
import { LabelAxis, LETTER_WIDTH, ValueAxis } from './axes.tsx';
import { type Fill, FilledBox } from './fills.tsx';
import { listTicks } from './scale.ts';
import { useBarFocus } from './use-bar-focus.ts';
import { useWidth } from './use-width.ts';

/** A bar of parts, from the bottom up. */
export type Bar = {
  readonly key: string;
  /** The sentence that is read out: its period and its values. */
  readonly name: string;
  /** Its label on the axis; '' for none. */
  readonly label: string;
  readonly parts: readonly { readonly fill: Fill; readonly value: number }[];
};

/** The area of the bars within a chart. */
export type Area = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

type BarChartProps = {
  readonly bars: readonly Bar[];
  /** The smallest step between the lines of values: 1 for what is counted. */
  readonly smallestStep: number;
  /** The ids of its title and of its description. */
  readonly titleId: string;
  readonly descriptionId: string;
  /** The text that stands below while no bar is pointed at. */
  readonly hint: string;
  formatTick(value: number): string;
};

const HEIGHT = 200;
const TICKS = 4;

/** Bars on a line, as wide as their place allows. The one that is pointed at or has the focus is told below. */
export function BarChart({ bars, smallestStep, titleId, descriptionId, hint, formatTick }: BarChartProps) {
  const { element, width } = useWidth();
  const { chart, current, onKeyDown, toBarProps } = useBarFocus(bars.length);
  const ticks = listTicks(Math.max(...bars.map(sumParts)), TICKS, smallestStep);
  const area = toArea(width, ticks.map(formatTick));
  const step = (area.right - area.left) / bars.length;
  const scale = (area.bottom - area.top) / (ticks.at(-1) ?? 1);
  const toX = (index: number) => area.left + step * index;
  return (
    <div ref={element}>
      <svg
        ref={chart}
        width={width}
        height={HEIGHT}
        role="group"
        aria-labelledby={titleId}
        aria-describedby={descriptionId}
        onKeyDown={onKeyDown}
      >
        <ValueAxis area={area} ticks={ticks} toY={(value) => area.bottom - value * scale} format={formatTick} />
        {bars.map((bar, index) => (
          <g
            key={bar.key}
            class={index === current ? 'bar current' : 'bar'}
            role="img"
            aria-label={bar.name}
            {...toBarProps(index)}
          >
            <rect class="place" x={toX(index)} y={area.top} width={step} height={area.bottom - area.top} />
            <BarParts bar={bar} x={toX(index)} step={step} bottom={area.bottom} scale={scale} />
          </g>
        ))}
        <LabelAxis area={area} labels={bars.map(({ label }) => label)} toX={(index) => toX(index + 0.5)} />
      </svg>
      <p class="readout soft" aria-hidden="true">
        {(current !== undefined && bars[current]?.name) || hint}
      </p>
    </div>
  );
}

const sumParts = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);

const toArea = (width: number, tickTexts: readonly string[]): Area => ({
  left: LETTER_WIDTH * Math.max(...tickTexts.map(({ length }) => length)) + 10,
  right: width - 1,
  top: 8,
  bottom: HEIGHT - 24,
});

type BarPartsProps = {
  readonly bar: Bar;
  readonly x: number;
  readonly step: number;
  readonly bottom: number;
  readonly scale: number;
};

const WIDEST_BAR = 48;
// Keeps the parts of a bar apart; a part that is lower has none.
const PART_GAP = 1;

function BarParts({ bar, x, step, bottom, scale }: BarPartsProps) {
  const width = Math.min(WIDEST_BAR, Math.max(1, step * 0.8));
  let top = bottom;
  return bar.parts
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
