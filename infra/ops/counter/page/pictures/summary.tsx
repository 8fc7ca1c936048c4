import { translate } from '../text.ts';
import { formatCount } from '../ui/format.ts';
import { DataTable } from '../ui/table.tsx';
import { type Figures, nameLimit } from './labels.ts';
import { formatCents } from './period-pictures.tsx';
import { PICTURES_TEXTS } from './texts.ts';

/** The sums of the whole time. */
export function Summary({ total }: Pick<Figures, 'total'>) {
  const facts = [
    { text: PICTURES_TEXTS.orders, value: formatCount(total.orders) },
    { text: PICTURES_TEXTS.turnover, value: formatCents(total.turnover_cents) },
    { text: PICTURES_TEXTS.cancelled, value: formatCents(total.cancelled_cents) },
    { text: PICTURES_TEXTS.medianApproval, value: formatMedian(total.minutes_to_approval.median) },
    { text: PICTURES_TEXTS.medianShipment, value: formatMedian(total.minutes_to_shipment.median) },
  ];
  return (
    <dl class="card summary" aria-label={translate(PICTURES_TEXTS.summary)}>
      {facts.map(({ text, value }) => (
        <div key={text.en}>
          <dt class="soft">{translate(text)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const formatMedian = (minutes: number | null): string => (minutes === null ? '–' : nameLimit(minutes));

/** The sums of each client; nothing for a single one. */
export const ByClient = ({ clients }: Pick<Figures, 'clients'>) =>
  clients.length < 2 ? null : (
    <section class="card picture">
      <h2>{translate(PICTURES_TEXTS.byClient)}</h2>
      <DataTable
        caption={translate(PICTURES_TEXTS.byClient)}
        columns={[
          { key: 'client', title: translate(PICTURES_TEXTS.client), isHeader: true, cell: ({ name }) => name },
          {
            key: 'orders',
            title: translate(PICTURES_TEXTS.orders),
            align: 'end',
            cell: ({ orders }) => formatCount(orders),
          },
          {
            key: 'turnover',
            title: translate(PICTURES_TEXTS.turnover),
            align: 'end',
            cell: ({ turnover_cents: cents }) => formatCents(cents),
          },
        ]}
        rows={clients}
        rowKey={({ id }) => id}
      />
    </section>
  );
