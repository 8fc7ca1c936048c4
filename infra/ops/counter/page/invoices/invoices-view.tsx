import { translate } from '../text.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { INVOICES_TEXTS } from './texts.ts';

export const InvoicesView = () => <ViewHeading title={translate(INVOICES_TEXTS.title)} />;
