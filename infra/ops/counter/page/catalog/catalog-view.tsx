import { useState } from 'preact/hooks';
import { translate } from '../text.ts';
import { announce } from '../ui/live-region.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { useCommand } from '../ui/use-command.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import type { Pair, Versions } from './choices.ts';
import { DifferenceSection } from './difference-section.tsx';
import { GoBackDialog } from './go-back-dialog.tsx';
import { SearchSection } from './search-section.tsx';
import { CATALOG_TEXTS } from './texts.ts';
import { VersionsSection } from './versions-section.tsx';
import './catalog.css';

const REFRESH_MS = 60_000;

/** The published versions, the difference between two, the search of clients, and the way back to a version. */
export function CatalogView() {
  const { document: versions, error, reload } = useCommand('catalog-versions', {}, { everyMs: REFRESH_MS });
  useShortcut('r', CATALOG_TEXTS.refresh, () => void reload());
  return (
    <>
      <ViewHeading title={translate(CATALOG_TEXTS.title)} />
      <ErrorNotice error={error} />
      {versions ? (
        <CatalogSections versions={versions} reload={reload} />
      ) : (
        error === undefined && <p class="soft">{translate(CATALOG_TEXTS.loading)}</p>
      )}
    </>
  );
}

type SectionsProps = { readonly versions: Versions; reload(): Promise<void> };

function CatalogSections({ versions, reload }: SectionsProps) {
  // Comparing two large catalogs takes seconds, so that nothing is compared before somebody asks for it.
  const [pair, setPair] = useState<Pair>({ from: versions.current ?? '', to: '' });
  const [target, setTarget] = useState<string>();
  const [done, setDone] = useState<string>();
  const finish = (version: string) => {
    setTarget(undefined);
    setDone(version);
    setPair({ from: version, to: '' });
    announce(translate(CATALOG_TEXTS.isCurrentNow, { version }));
    void reload();
  };
  const compare = (to: string) => {
    setPair({ from: versions.current ?? '', to });
    document.getElementById(DIFFERENCE_ID)?.focus();
  };
  if (versions.versions.length === 0) return <p class="soft">{translate(CATALOG_TEXTS.noVersions)}</p>;
  return (
    <>
      {done && <Notice kind="success">{translate(CATALOG_TEXTS.isCurrentNow, { version: done })}</Notice>}
      <VersionsSection versions={versions} onCompare={compare} onGoBack={setTarget} />
      <DifferenceSection headingId={DIFFERENCE_ID} versions={versions} pair={pair} onChange={setPair} />
      <SearchSection versions={versions} />
      {target && <GoBackDialog version={target} onClose={() => setTarget(undefined)} onDone={finish} />}
    </>
  );
}

const DIFFERENCE_ID = 'catalog-difference';
