// biome-ignore-all lint/a11y/noRedundantRoles: a browser takes the roles away from cells that are laid out as cards
import type { ComponentChildren } from 'preact';

export type Column<Row> = {
  /** Names the column, also in its class. */
  readonly key: string;
  readonly title: string;
  readonly align?: 'start' | 'end';
  readonly isHeader?: boolean;
  cell(row: Row): ComponentChildren;
};

type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Keeps a row the same element over a refresh, so that the focus stays in it. */
  rowKey(row: Row): string | number;
  isCurrent?(row: Row): boolean;
  /** The sentence in place of a table without rows. */
  readonly empty?: string;
};

/** A table of data. At the width of a phone a row is a card in which each value has the title of its column. */
export function DataTable<Row>({ caption, columns, rows, rowKey, isCurrent, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty ? <p class="soft">{empty}</p> : null;
  return (
    <table role="table" class="data">
      <caption class="for-screen-readers">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ key, title, align = 'start' }) => (
            <th key={key} role="columnheader" scope="col" class={`${key} ${align}`}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row" class={isCurrent?.(row) ? 'current' : undefined}>
            {columns.map(({ key, title, align = 'start', isHeader, cell }) => {
              const shown = { class: `${key} ${align}`, 'data-title': title };
              return isHeader ? (
                <th key={key} {...shown} role="rowheader" scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={key} {...shown} role="cell">
                  {cell(row)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
