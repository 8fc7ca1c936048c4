import { useRef } from 'preact/hooks';
import { address, choose } from '../ui/address.ts';
import { Field, Notice, Toggles } from '../ui/controls.tsx';
import { formatCount, timeZone } from '../ui/format.ts';
import { useQuery } from '../ui/server.ts';
import { type Column, Facts, TablePart, View } from '../ui/view.tsx';
import { Chart } from './chart.tsx';
import { countDays, type Days, type Figures, formatCents, listCharts, listLastDays, nameLimit } from './chart-data.ts';

const areValid = (days: Days): boolean => countDays(days) >= 1 && countDays(days) <= 92;
// A week of hours is 168 bars.
const canShowHours = (days: Days): boolean => countDays(days) <= 7;

const OWN = 'own';
const WEEK = '7';
const RANGES = { 1: 'Hoy', [WEEK]: '7 días', 30: '30 días', [OWN]: 'Otro' };

function readChoice({ days, from = '', to = '', by, client = '' }: Readonly<Record<string, string>>) {
  const range = days && Object.hasOwn(RANGES, days) ? days : WEEK;
  const shown: Days = range === OWN ? { from, to } : listLastDays(Number(range), new Date(), timeZone.value);
  const width = by ?? (shown.from === shown.to ? 'hour' : 'day');
  return { range, days: shown, by: width === 'hour' && canShowHours(shown) ? 'hour' : 'day', client } as const;
}

export function FiguresView() {
  // A reload draws the view again, so that a range ends today.
  const choice = readChoice(address.value.params);
  const { days, by, client } = choice;
  const input = { ...days, by, ...(client !== '' && { client }) };
  const query = useQuery('orders-figures', areValid(days) ? input : undefined);
  // The figures of one client do not name the others.
  const clients = useRef(new Map([['', 'Todos']])).current;
  for (const { id, name } of query.document?.clients ?? []) clients.set(String(id), name);
  return (
    <View
      title="Gráficas"
      query={query}
      isReloadable
      describe={({ total }) => `Órdenes sumadas: ${formatCount(total.orders)}.`}
      choice={<ChoiceForm {...choice} clients={clients} />}
    >
      {(figures) => <Charts figures={figures} />}
    </View>
  );
}

type ChoiceProps = ReturnType<typeof readChoice> & { readonly clients: ReadonlyMap<string, string> };

function ChoiceForm({ range, days, by, client, clients }: ChoiceProps) {
  const error = areValid(days) ? undefined : 'De 1 a 92 días.';
  const widths = { ...(canShowHours(days) && { hour: 'hora' }), day: 'día' };
  const own = (change: Partial<Days>) => choose({ days: OWN, ...days, ...change, by: '' });
  return (
    <div class="choice">
      <Toggles
        label="Tiempo"
        options={Object.entries(RANGES)}
        value={range}
        onChange={(value) => (value === OWN ? own({}) : choose({ days: value, from: '', to: '', by: '' }))}
      />
      {range === OWN && (
        <>
          <Field type="date" label="Del" value={days.from} onChange={(from) => own({ from })} />
          <Field type="date" label="Al" value={days.to} error={error} onChange={(to) => own({ to })} />
        </>
      )}
      <Field
        label="Barras por"
        options={Object.entries(widths)}
        value={by}
        onChange={(value) => choose({ by: value })}
      />
      <Field label="Cliente" options={clients} value={client} onChange={(value) => choose({ client: value })} />
    </div>
  );
}

const CLIENT_COLUMNS: readonly Column<Figures['clients'][number]>[] = [
  { title: 'Cliente', isHeader: true, cell: ({ name }) => name },
  { title: 'Órdenes', class: 'end', cell: ({ orders }) => formatCount(orders) },
  { title: 'Ventas', class: 'end', cell: ({ turnover_cents: cents }) => formatCents(cents) },
];

function Charts({ figures }: { readonly figures: Figures }) {
  const { total, clients } = figures;
  if (total.orders === 0) return <Notice tone="info">No hay órdenes en este tiempo.</Notice>;
  const sums = [
    ['Órdenes', formatCount(total.orders)],
    ['Ventas', formatCents(total.turnover_cents)],
    ['Cancelado', formatCents(total.cancelled_cents)],
    ['Hasta aprobar: mediana · 90 %', spreadText(total.approval)],
    ['Hasta enviar: mediana · 90 %', spreadText(total.shipment)],
  ] as const;
  return (
    <>
      <Facts class="card summary" label="Resumen" facts={sums} />
      <div class="charts">
        {listCharts(figures).map((chart) => (
          <Chart key={chart.title} {...chart} />
        ))}
        {clients.length > 1 && <TablePart title="Por cliente" columns={CLIENT_COLUMNS} rows={clients} />}
      </div>
    </>
  );
}

const spreadText = ({ median, p90 }: Figures['total']['approval']): string =>
  median === null || p90 === null ? '–' : `${nameLimit(median)} · ${nameLimit(p90)}`;
