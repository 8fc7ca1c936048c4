import { translate } from '../text.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { ORDER_TEXTS } from './texts.ts';

export const OrderView = ({ id }: { readonly id: number }) => (
  <ViewHeading title={translate(ORDER_TEXTS.title, { id })} />
);
