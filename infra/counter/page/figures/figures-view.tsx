import './figures.css';
import { useRef, useState } from 'preact/hooks';
import { useCommand } from '../call.ts';
import { Part } from '../order/parts.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { formatCount, timeZone } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Toggles } from '../ui/toggles.tsx';
import { View } from '../view.tsx';
import { Chart } from './chart.tsx';
import {
  areValidDays,
  canShowHours,
  type Days,
  type Figures,
  formatCents,
  listCharts,
  listLastDays,
  nameLimit,
} from './chart-data.ts';

/** The days, the width of the bars and the client that the reader has chosen. */
type Choice = {
  /** So many days until today, or days of the reader's own. */
  readonly range: number | Days;
  readonly by: 'hour' | 'day';
  /** '' for all. */
  readonly client: string;
};

const toDays = (range: Choice['range']): Days =>
  typeof range === 'number' ? listLastDays(range, new Date(), timeZone.value) : range;

/** Orders and turnover of a time, by status and how long they took, as charts with the numbers behind them. */
export function FiguresView() {
  const [choice, setChoice] = useState<Choice>({ range: 7, by: 'day', client: '' });
  const { range, by, client } = choice;
  // A reload draws the view anew, by which a range ends with the day that it is then.
  const days = toDays(range);
  const asked = { ...days, by, ...(client !== '' && { client }) };
  const query = useCommand('orders-figures', areValidDays(days) ? asked : undefined);
  // The figures of one client know no other.
  const clients = useRef<Figures['clients']>([]);
  if (query.document?.client === null) clients.current = query.document.clients;
  return (
    <View
      title="Gráficas"
      query={query}
      isReloadable
      describe={({ total }) => `Órdenes sumadas: ${formatCount(total.orders)}.`}
      choice={<ChoiceForm choice={choice} days={days} clients={clients.current} onChange={setChoice} />}
    >
      {(figures) => <Charts figures={figures} />}
    </View>
  );
}

const CLIENT_COLUMNS: readonly Column<Figures['clients'][number]>[] = [
  { key: 'client', title: 'Cliente', isHeader: true, cell: ({ name }) => name },
  { key: 'orders', title: 'Órdenes', align: 'end', cell: ({ orders }) => formatCount(orders) },
  { key: 'turnover', title: 'Ventas', align: 'end', cell: ({ turnover_cents: cents }) => formatCents(cents) },
];

function Charts({ figures }: { readonly figures: Figures }) {
  const { total, clients } = figures;
  if (total.orders === 0) return <Notice kind="info">No hay órdenes en este tiempo.</Notice>;
  return (
    <>
      <dl class="card summary" aria-label="Resumen">
        {listSums(total).map(([title, value]) => (
          <div key={title}>
            <dt class="soft">{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="charts">
        {listCharts(figures).map((chart) => (
          <Chart key={chart.title} {...chart} />
        ))}
        {clients.length > 1 && (
          <Part title="Por cliente">
            <DataTable caption="Por cliente" columns={CLIENT_COLUMNS} rows={clients} rowKey={({ id }) => id} />
          </Part>
        )}
      </div>
    </>
  );
}

const listSums = (total: Figures['total']) =>
  [
    ['Órdenes', formatCount(total.orders)],
    ['Ventas', formatCents(total.turnover_cents)],
    ['Cancelado', formatCents(total.cancelled_cents)],
    ['Hasta aprobar, mediana', formatMedian(total.minutes_to_approval.median)],
    ['Hasta enviar, mediana', formatMedian(total.minutes_to_shipment.median)],
  ] as const;

const formatMedian = (minutes: number | null): string => (minutes === null ? '–' : nameLimit(minutes));

const RANGES = [
  { value: 1, name: 'Hoy' },
  { value: 7, name: '7 días' },
  { value: 30, name: '30 días' },
];
const WIDTHS = [
  { value: 'hour', label: 'hora' },
  { value: 'day', label: 'día' },
] as const;

const OWN_DAY = { type: 'date', isRequired: true } as const;

type ChoiceFormProps = {
  readonly choice: Choice;
  /** The days of the range as it is now. */
  readonly days: Days;
  readonly clients: Figures['clients'];
  onChange(choice: Choice): void;
};

function ChoiceForm({ choice, days, clients, onChange }: ChoiceFormProps) {
  const { range: chosen, by, client } = choice;
  // Of one day the hours are shown, of more the days.
  const choose = (range: Choice['range']) => {
    const { from, to } = toDays(range);
    onChange({ client, range, by: from === to ? 'hour' : 'day' });
  };
  const error = areValidDays(days) ? undefined : 'De 1 a 92 días.';
  const options = clients.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <div class="choice">
      <Toggles legend="Tiempo" options={[...RANGES, { value: days, name: 'Otro' }]} value={chosen} onChange={choose} />
      {chosen === days && (
        <>
          <TextField {...OWN_DAY} label="Del" value={days.from} onChange={(from) => choose({ ...days, from })} />
          <TextField {...OWN_DAY} label="Al" value={days.to} error={error} onChange={(to) => choose({ ...days, to })} />
        </>
      )}
      <SelectField
        label="Barras por"
        options={canShowHours(days) ? WIDTHS : WIDTHS.slice(1)}
        value={by}
        onChange={(width) => onChange({ ...choice, by: width })}
      />
      <SelectField
        label="Cliente"
        options={[{ value: '', label: 'Todos' }, ...options]}
        value={client}
        onChange={(value) => onChange({ ...choice, client: value })}
      />
    </div>
  );
}
