import './figures.css';
import { useEffect, useState } from 'preact/hooks';
import { useCommand } from '../call.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { formatCount, timeZone } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { View } from '../view.tsx';
import { Chart } from './chart.tsx';
import {
  areValidDays,
  canShowHours,
  type Days,
  type Figures,
  formatCents,
  listCharts,
  nameLimit,
  RANGES,
  type RangeName,
  toDays,
} from './chart-data.ts';

/** The range of days, the width of the bars and the client that the reader has chosen. */
type Choice = {
  readonly range: RangeName;
  readonly days: Days;
  readonly by: 'hour' | 'day';
  /** '' for all. */
  readonly client: string;
};

/** Returns the choice of a range: hours of one day, days of more. */
const chooseRange = (client: string, range: RangeName, days: Days): Choice => ({
  client,
  range,
  days,
  by: days.from === days.to ? 'hour' : 'day',
});

const daysNow = (range: Exclude<RangeName, 'own'>): Days => toDays(range, new Date(), timeZone.value);

/** Orders and turnover of a time, by status and how long they took, as charts with the numbers behind them. */
export function FiguresView() {
  const [choice, setChoice] = useState(() => chooseRange('', 'week', daysNow('week')));
  const { range, days, by, client } = choice;
  const query = useCommand('orders-figures', { ...days, by, ...(client !== '' && { client }) });
  const clients = useClients(query.document);
  const reload = () => {
    const renewed = range === 'own' ? days : daysNow(range);
    // Other days are another input, which is read by itself.
    if (renewed.to === days.to) void query.reload();
    else setChoice({ ...choice, days: renewed });
  };
  return (
    <View
      title="Gráficas"
      query={query}
      onReload={reload}
      describe={({ total }) => `Órdenes sumadas: ${formatCount(total.orders)}.`}
      choice={<ChoiceForm choice={choice} clients={clients} onChange={setChoice} />}
    >
      {(figures) => <Charts figures={figures} />}
    </View>
  );
}

/** Returns the clients of the last figures of all clients, since those of one know no other. */
function useClients(figures: Figures | undefined): Figures['clients'] {
  const [clients, setClients] = useState<Figures['clients']>([]);
  useEffect(() => {
    if (figures?.client === null) setClients(figures.clients);
  }, [figures]);
  return clients;
}

function Charts({ figures }: { readonly figures: Figures }) {
  const { total, clients } = figures;
  if (total.orders === 0) return <Notice kind="info">No hay órdenes en este tiempo.</Notice>;
  return (
    <>
      <Summary total={total} />
      <div class="charts">
        {listCharts(figures).map((chart) => (
          <Chart key={chart.title} {...chart} />
        ))}
        {clients.length > 1 && (
          <section class="card chart">
            <h2>Por cliente</h2>
            <DataTable caption="Por cliente" columns={CLIENT_COLUMNS} rows={clients} rowKey={({ id }) => id} />
          </section>
        )}
      </div>
    </>
  );
}

const CLIENT_COLUMNS: readonly Column<Figures['clients'][number]>[] = [
  { key: 'client', title: 'Cliente', isHeader: true, cell: ({ name }) => name },
  { key: 'orders', title: 'Órdenes', align: 'end', cell: ({ orders }) => formatCount(orders) },
  { key: 'turnover', title: 'Ventas', align: 'end', cell: ({ turnover_cents: cents }) => formatCents(cents) },
];

function Summary({ total }: Pick<Figures, 'total'>) {
  const facts = [
    ['Órdenes', formatCount(total.orders)],
    ['Ventas', formatCents(total.turnover_cents)],
    ['Cancelado', formatCents(total.cancelled_cents)],
    ['Hasta aprobar, mediana', formatMedian(total.minutes_to_approval.median)],
    ['Hasta enviar, mediana', formatMedian(total.minutes_to_shipment.median)],
  ] as const;
  return (
    <dl class="card summary" aria-label="Resumen">
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt class="soft">{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const formatMedian = (minutes: number | null): string => (minutes === null ? '–' : nameLimit(minutes));

type ChoiceFormProps = {
  readonly choice: Choice;
  readonly clients: Figures['clients'];
  onChange(choice: Choice): void;
};

function ChoiceForm({ choice, clients, onChange }: ChoiceFormProps) {
  const { range: chosen, days, by, client } = choice;
  const choose = (range: RangeName) => onChange(chooseRange(client, range, range === 'own' ? days : daysNow(range)));
  const widths = [
    { value: 'hour', label: 'hora' },
    { value: 'day', label: 'día' },
  ] as const;
  const options = clients.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <div class="choice">
      <fieldset class="row">
        <legend class="for-screen-readers">Tiempo</legend>
        {Object.entries(RANGES).map(([range, name]) => (
          <button
            key={range}
            type="button"
            class="button"
            aria-pressed={range === chosen}
            onClick={() => choose(range as RangeName)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      {chosen === 'own' && <OwnDays days={days} onChange={(own) => onChange(chooseRange(client, 'own', own))} />}
      <SelectField
        label="Barras por"
        options={canShowHours(days) ? widths : widths.slice(1)}
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

/** Two days, which count once they are right. */
function OwnDays({ days, onChange }: { readonly days: Days; onChange(days: Days): void }) {
  const [written, setWritten] = useState(days);
  const write = (changed: Partial<Days>) => {
    const next = { ...written, ...changed };
    setWritten(next);
    if (areValidDays(next)) onChange(next);
  };
  const error = areValidDays(written) ? undefined : 'De 1 a 92 días.';
  return (
    <>
      <TextField type="date" label="Del" value={written.from} isRequired onChange={(from) => write({ from })} />
      <TextField type="date" label="Al" error={error} value={written.to} isRequired onChange={(to) => write({ to })} />
    </>
  );
}
