import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { translate } from '../../text.ts';
import { type Column, DataTable } from '../../ui/table.tsx';
import { PICTURES_TEXTS } from '../texts.ts';
import { type Bar, BarChart } from './bar-chart.tsx';

type PictureProps<Row> = {
  readonly title: string;
  /** A sentence with the most important numbers. */
  readonly description: string;
  readonly bars: readonly Bar[];
  readonly smallestStep: number;
  readonly legend?: ComponentChildren;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  formatTick(value: number): string;
  rowKey(row: Row): string;
};

/** A chart with its title, its description and the numbers behind it. */
export function Picture<Row>({ title, description, legend, columns, rows, rowKey, ...chart }: PictureProps<Row>) {
  const id = useId();
  const [titleId, descriptionId] = [`${id}-title`, `${id}-description`];
  return (
    <section class="card picture" aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      <p id={descriptionId} class="soft">
        {description}
      </p>
      {legend}
      <BarChart {...chart} titleId={titleId} descriptionId={descriptionId} hint={translate(PICTURES_TEXTS.pointHint)} />
      <details>
        <summary>
          {translate(PICTURES_TEXTS.numbers)}
          <span class="for-screen-readers">{translate(PICTURES_TEXTS.ofPicture, { title })}</span>
        </summary>
        <DataTable caption={title} columns={columns} rows={rows} rowKey={rowKey} />
      </details>
    </section>
  );
}
