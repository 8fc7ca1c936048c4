import { translate } from '../text.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { PICTURES_TEXTS } from './texts.ts';

export const PicturesView = () => <ViewHeading title={translate(PICTURES_TEXTS.title)} />;
