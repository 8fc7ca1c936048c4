import type { DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { formatDateTime } from '../ui/format.ts';
import { CATALOG_TEXTS } from './texts.ts';

export type Versions = DocumentOf<'catalog-versions'>;
export type Version = Versions['versions'][number];
/** Two versions to compare; '' while one is not chosen. */
export type Pair = { readonly from: string; readonly to: string };

/** Returns the versions as the options of a select. */
export const toOptions = ({ current, versions }: Versions) =>
  versions.map((version) => ({ value: version.version, label: describeVersion(version, current) }));

// Enough to tell the versions of a list apart, which shows them in full.
const SHORT_DIGITS = 8;

function describeVersion({ version, published_at, label }: Version, current: string | null): string {
  const mark = version === current ? translate(CATALOG_TEXTS.current) : null;
  return [formatDateTime(published_at), label, version.slice(0, SHORT_DIGITS), mark].filter(Boolean).join(' · ');
}
