import {
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../../../../shared/domain/order.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../../shared/messages/status-texts.ts';
import { type Text, translate } from '../text.ts';
import { formatCount } from '../ui/format.ts';
import { type Fill, Legend } from './chart/fills.tsx';
import { Picture } from './chart/picture.tsx';
import { type Figures, labelPeriod, namePeriod, type Period } from './labels.ts';
import { PICTURES_TEXTS } from './texts.ts';

const ORDER_FILLS: Readonly<Record<OrderStatus, Fill>> = {
  quoted: { colour: 'waiting', texture: 'dots' },
  pending_approval: { colour: 'waiting', texture: 'stripes' },
  approved: { colour: 'working' },
  in_process: { colour: 'working', texture: 'stripes' },
  ready: { colour: 'going' },
  shipped: { colour: 'going', texture: 'stripes' },
  delivered: { colour: 'done' },
  cancelled: { colour: 'ended', texture: 'dots' },
  delayed: { colour: 'trouble', texture: 'stripes' },
  shortage: { colour: 'trouble' },
};
const PAYMENT_FILLS: Readonly<Record<PaymentStatus, Fill>> = {
  unpaid: { colour: 'waiting', texture: 'stripes' },
  credit: { colour: 'working', texture: 'dots' },
  paid: { colour: 'done' },
  in_process: { colour: 'going', texture: 'stripes' },
  processing: { colour: 'going' },
  rejected: { colour: 'trouble', texture: 'dots' },
};

/** The orders of each day or hour by their order_status. */
export const OrderStatusPicture = ({ figures }: { readonly figures: Figures }) => (
  <StatusPicture
    figures={figures}
    title={PICTURES_TEXTS.byOrderStatus}
    field="order_status"
    statuses={ORDER_STATUSES.map((status) => ({ status, text: ORDER_STATUS_TEXTS[status], fill: ORDER_FILLS[status] }))}
  />
);

/** The orders of each day or hour by their payment_status. */
export const PaymentStatusPicture = ({ figures }: { readonly figures: Figures }) => (
  <StatusPicture
    figures={figures}
    title={PICTURES_TEXTS.byPaymentStatus}
    field="payment_status"
    statuses={PAYMENT_STATUSES.map((status) => ({
      status,
      text: PAYMENT_STATUS_TEXTS[status],
      fill: PAYMENT_FILLS[status],
    }))}
  />
);

type Shown = { readonly status: string; readonly text: Text; readonly fill: Fill };
type Field = 'order_status' | 'payment_status';

type StatusPictureProps = {
  readonly figures: Figures;
  readonly title: Text;
  readonly field: Field;
  readonly statuses: readonly Shown[];
};

/** Stacks the statuses that occur, in their order; the numbers have a column for each. */
function StatusPicture({ figures, title, field, statuses }: StatusPictureProps) {
  const shown = statuses.filter(({ status }) => count(figures.total, field, status) > 0);
  return (
    <Picture
      title={translate(title)}
      description={translate(PICTURES_TEXTS.statusHint)}
      legend={<Legend entries={shown.map(({ text, fill }) => ({ name: translate(text), fill }))} />}
      bars={figures.periods.map((period) => ({
        key: period.from,
        name: `${namePeriod(period)}: ${tellStatuses(period, field, shown)}`,
        label: labelPeriod(period, figures),
        parts: shown.map(({ status, fill }) => ({ fill, value: count(period, field, status) })),
      }))}
      smallestStep={1}
      formatTick={formatCount}
      columns={[
        { key: 'period', title: translate(PICTURES_TEXTS.period), isHeader: true, cell: namePeriod },
        ...shown.map(({ status, text }) => ({
          key: status,
          title: translate(text),
          align: 'end' as const,
          cell: (period: Period) => formatCount(count(period, field, status)),
        })),
      ]}
      rows={figures.periods}
      rowKey={({ from }) => from}
    />
  );
}

const count = (figures: Pick<Period, Field>, field: Field, status: string): number =>
  figures[field][status]?.orders ?? 0;

/** Tells the statuses that a period has: `Aprobada 2, Enviada 1`, or 0. */
const tellStatuses = (period: Period, field: Field, shown: readonly Shown[]): string =>
  shown
    .filter(({ status }) => count(period, field, status) > 0)
    .map(({ status, text }) => `${translate(text)} ${formatCount(count(period, field, status))}`)
    .join(', ') || '0';
