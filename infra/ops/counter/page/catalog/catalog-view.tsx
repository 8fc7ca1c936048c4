import { translate } from '../text.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { CATALOG_TEXTS } from './texts.ts';

export const CatalogView = () => <ViewHeading title={translate(CATALOG_TEXTS.title)} />;
