// biome-ignore-all lint/a11y/noAriaHiddenOnFocusable: Biome takes each <g> for one that takes the focus
import type { Area } from './bar-chart.tsx';
import { spaceLabels } from './scale.ts';

type ValueAxisProps = {
  readonly area: Area;
  readonly ticks: readonly number[];
  toY(value: number): number;
  format(value: number): string;
};

/** The lines of round values, each with its number. */
export const ValueAxis = ({ area, ticks, toY, format }: ValueAxisProps) => (
  <g class="axis" aria-hidden="true">
    {ticks.map((tick) => (
      <g key={tick}>
        <line x1={area.left} x2={area.right} y1={toY(tick)} y2={toY(tick)} />
        <text x={area.left - 6} y={toY(tick)} dy="0.32em" text-anchor="end">
          {format(tick)}
        </text>
      </g>
    ))}
  </g>
);

type LabelAxisProps = { readonly area: Area; readonly labels: readonly string[]; toX(index: number): number };

/** The labels below the bars, as many as have room. */
export function LabelAxis({ area, labels, toX }: LabelAxisProps) {
  const shown = labels.flatMap((label, index) => (label === '' ? [] : { label, index }));
  const labelWidth = LETTER_WIDTH * Math.max(...labels.map(({ length }) => length)) + LABEL_GAP;
  const every = spaceLabels(shown.length, { width: area.right - area.left, labelWidth });
  return (
    <g class="axis" aria-hidden="true">
      {shown
        .filter((_, place) => place % every === 0)
        .map(({ label, index }) => (
          <text key={index} x={toX(index)} y={area.bottom + 16} text-anchor="middle">
            {label}
          </text>
        ))}
    </g>
  );
}

/** An upper bound of the width of a letter or digit of an axis. */
export const LETTER_WIDTH = 7;
const LABEL_GAP = 8;
