import {
  listPublishedVersions,
  type VersionDifference,
  type VersionRecord,
} from '../../../shared/catalog/publish/versions.ts';
import { command } from '../command.ts';
import { recordTable } from '../terminal/text-table.ts';
import { catalogBucket } from './published-catalog.ts';

export const catalogVersions = command({
  name: 'catalog versions',
  effect: 'reads',
  summary: 'List the published versions, the newest first, with who published them and what each changed',
  async run(_, call) {
    const { current = null, versions } = await listPublishedVersions(catalogBucket());
    const rows = versions.map((version) => toRow(version, current));
    return { document: { current, versions }, text: recordTable(rows, call) || 'No catalog was published yet.\n' };
  },
});

const toRow = (
  { version, published_at, products, compressed_bytes, author, label, difference }: VersionRecord,
  current: string | null,
) => ({
  ' ': version === current ? '*' : ' ',
  version,
  published_at,
  products,
  size: `${Math.ceil(compressed_bytes / 1024)} kB`,
  author,
  label,
  difference: difference && describeDifference(difference),
});

function describeDifference({ kinds }: VersionDifference): string {
  const parts = Object.entries(kinds).map(([kind, { added, removed, changed }]) => {
    const counts = Object.entries({ added, removed, changed }).filter(([, count]) => count > 0);
    return `${kind}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`;
  });
  return parts.join('; ') || 'no record differs';
}
