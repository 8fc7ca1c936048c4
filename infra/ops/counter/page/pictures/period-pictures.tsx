import { translate } from '../text.ts';
import { formatCount, formatMoney, formatShortMoney } from '../ui/format.ts';
import type { Bar } from './chart/bar-chart.tsx';
import type { Fill } from './chart/fills.tsx';
import { Picture } from './chart/picture.tsx';
import { type Figures, labelPeriod, namePeriod, type Period } from './labels.ts';
import { PICTURES_TEXTS } from './texts.ts';

const PLAIN: Fill = { colour: 'plain' };
const CENTS_PER_PESO = 100;
export const formatCents = (cents: number): string => formatMoney(cents / CENTS_PER_PESO);

const toColumn = (title: string) => ({ key: 'period', title, isHeader: true, cell: namePeriod });

/** The number of orders of each day or hour. */
export const OrdersPicture = ({ figures }: { readonly figures: Figures }) => {
  const most = findMost(figures, ({ orders }) => orders);
  const hint = { orders: formatCount(figures.total.orders), most: formatCount(most.orders), when: namePeriod(most) };
  return (
    <Picture
      title={translate(PICTURES_TEXTS.orders)}
      description={translate(PICTURES_TEXTS.ordersHint, hint)}
      bars={figures.periods.map((period) =>
        toBar(period, figures, { value: period.orders, text: formatCount(period.orders) }),
      )}
      smallestStep={1}
      formatTick={formatCount}
      columns={[
        toColumn(translate(PICTURES_TEXTS.period)),
        {
          key: 'orders',
          title: translate(PICTURES_TEXTS.orders),
          align: 'end',
          cell: ({ orders }) => formatCount(orders),
        },
      ]}
      rows={figures.periods}
      rowKey={({ from }) => from}
    />
  );
};

/** The turnover of each day or hour, without cancelled orders, which the numbers have beside it. */
export const TurnoverPicture = ({ figures }: { readonly figures: Figures }) => {
  const most = findMost(figures, (period) => period.turnover_cents);
  const hint = {
    turnover: formatCents(figures.total.turnover_cents),
    most: formatCents(most.turnover_cents),
    when: namePeriod(most),
  };
  return (
    <Picture
      title={translate(PICTURES_TEXTS.turnover)}
      description={translate(PICTURES_TEXTS.turnoverHint, hint)}
      bars={figures.periods.map((period) =>
        toBar(period, figures, { value: period.turnover_cents, text: formatCents(period.turnover_cents) }),
      )}
      smallestStep={CENTS_PER_PESO}
      formatTick={(cents) => formatShortMoney(cents / CENTS_PER_PESO)}
      columns={[
        toColumn(translate(PICTURES_TEXTS.period)),
        toMoneyColumn('turnover', ({ turnover_cents: cents }) => cents),
        toMoneyColumn('cancelled', ({ cancelled_cents: cents }) => cents),
      ]}
      rows={figures.periods}
      rowKey={({ from }) => from}
    />
  );
};

const toMoneyColumn = (key: 'turnover' | 'cancelled', toCents: (period: Period) => number) => ({
  key,
  title: translate(PICTURES_TEXTS[key]),
  align: 'end' as const,
  cell: (period: Period) => formatCents(toCents(period)),
});

function findMost({ periods }: Figures, toValue: (period: Period) => number): Period {
  return periods.reduce((most, period) => (toValue(period) > toValue(most) ? period : most));
}

const toBar = (period: Period, figures: Figures, { value, text }: { value: number; text: string }): Bar => ({
  key: period.from,
  name: `${namePeriod(period)}: ${text}`,
  label: labelPeriod(period, figures),
  parts: [{ fill: PLAIN, value }],
});
