import { type Text, translate } from '../text.ts';
import { formatCount } from '../ui/format.ts';
import type { Fill } from './chart/fills.tsx';
import { Picture } from './chart/picture.tsx';
import { type Figures, labelTimes, nameLimit, nameTimes } from './labels.ts';
import { PICTURES_TEXTS } from './texts.ts';

const PLAIN: Fill = { colour: 'plain' };

type Row = Figures['total']['approval_times'][number];
type TimesPictureProps = {
  readonly title: Text;
  readonly spread: Figures['total']['minutes_to_approval'];
  readonly times: Figures['total']['approval_times'];
};

/** Draws the number of orders by the time that they took. */
export const TimesPicture = ({ title, spread, times }: TimesPictureProps) => (
  <Picture
    title={translate(title)}
    description={describeSpread(spread)}
    bars={times.map((each) => ({
      key: String(each.from),
      name: `${nameTimes(each)}: ${formatCount(each.orders)}`,
      label: labelTimes(each),
      parts: [{ fill: PLAIN, value: each.orders }],
    }))}
    smallestStep={1}
    formatTick={formatCount}
    columns={[
      { key: 'time', title: translate(PICTURES_TEXTS.howLong), isHeader: true, cell: (row: Row) => nameTimes(row) },
      {
        key: 'orders',
        title: translate(PICTURES_TEXTS.orders),
        align: 'end',
        cell: ({ orders }: Row) => formatCount(orders),
      },
    ]}
    rows={times}
    rowKey={({ from }) => String(from)}
  />
);

function describeSpread({ count, median, p90 }: TimesPictureProps['spread']): string {
  if (median === null || p90 === null) return translate(PICTURES_TEXTS.noTimes);
  const values = { count: formatCount(count), median: nameLimit(median), p90: nameLimit(p90) };
  return translate(PICTURES_TEXTS.timesHint, values);
}
