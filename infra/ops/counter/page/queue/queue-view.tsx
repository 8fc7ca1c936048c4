import { translate } from '../text.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { QUEUE_TEXTS } from './texts.ts';

export const QueueView = () => <ViewHeading title={translate(QUEUE_TEXTS.title)} />;
