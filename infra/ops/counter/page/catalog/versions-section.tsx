import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { formatCount, formatDateTime } from '../ui/format.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import type { Version, Versions } from './choices.ts';
import { nameKind } from './record-texts.ts';
import { CATALOG_TEXTS } from './texts.ts';

type VersionsProps = {
  readonly versions: Versions;
  onCompare(version: string): void;
  onGoBack(version: string): void;
};

export const VersionsSection = ({ versions, ...actions }: VersionsProps) => (
  <section class="card catalog-versions" aria-labelledby="catalog-versions">
    <h2 id="catalog-versions">{translate(CATALOG_TEXTS.versions)}</h2>
    <DataTable
      caption={translate(CATALOG_TEXTS.versions)}
      columns={listColumns({ versions, ...actions })}
      rows={versions.versions}
      rowKey={({ version }) => version}
      isCurrent={({ version }) => version === versions.current}
    />
  </section>
);

function listColumns({ versions: { current }, onCompare, onGoBack }: VersionsProps): Column<Version>[] {
  return [
    {
      key: 'version',
      title: translate(CATALOG_TEXTS.version),
      isHeader: true,
      cell: ({ version }) => (
        <>
          <code>{version}</code>{' '}
          {version === current && <span class="badge good">{translate(CATALOG_TEXTS.current)}</span>}
        </>
      ),
    },
    {
      key: 'published',
      title: translate(CATALOG_TEXTS.publishedAt),
      cell: ({ published_at }) => formatDateTime(published_at),
    },
    { key: 'author', title: translate(CATALOG_TEXTS.author), cell: ({ author }) => author && lastPart(author) },
    { key: 'label', title: translate(CATALOG_TEXTS.label), cell: ({ label }) => label },
    {
      key: 'products',
      title: translate(CATALOG_TEXTS.products),
      align: 'end',
      cell: ({ products }) => formatCount(products),
    },
    { key: 'changes', title: translate(CATALOG_TEXTS.changes), cell: ({ difference }) => showChanges(difference) },
    {
      key: 'actions',
      title: translate(CATALOG_TEXTS.actions),
      cell: ({ version }) =>
        version !== current && (
          <span class="row">
            <Button label={translate(CATALOG_TEXTS.compareVersion, { version })} onClick={() => onCompare(version)}>
              {translate(CATALOG_TEXTS.compare)}
            </Button>
            <Button label={translate(CATALOG_TEXTS.goBackTo, { version })} onClick={() => onGoBack(version)}>
              {translate(CATALOG_TEXTS.confirm)}
            </Button>
          </span>
        ),
    },
  ];
}

/** Returns the name of a person in the ARN of a role that they have assumed. */
const lastPart = (author: string): string => author.split('/').at(-1) ?? author;

function showChanges(difference: Version['difference']) {
  if (!difference) return null;
  const kinds = Object.entries(difference.kinds);
  if (kinds.length === 0) return <span class="soft">{translate(CATALOG_TEXTS.noDifference)}</span>;
  return (
    <ul class="version-changes">
      {kinds.map(([kind, counts]) => (
        <li key={kind}>
          {nameKind(kind as Parameters<typeof nameKind>[0])}{' '}
          <span aria-hidden="true" class="soft">
            {showCounts(counts)}
          </span>
          <span class="for-screen-readers">{translate(CATALOG_TEXTS.changeCountsSpoken, counts)}</span>
        </li>
      ))}
    </ul>
  );
}

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

const showCounts = (counts: Readonly<Record<keyof typeof SIGNS, number>>): string =>
  (Object.keys(SIGNS) as (keyof typeof SIGNS)[])
    .filter((change) => counts[change] > 0)
    .map((change) => SIGNS[change] + formatCount(counts[change]))
    .join(' ');
