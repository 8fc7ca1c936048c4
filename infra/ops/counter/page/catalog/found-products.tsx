import { useEffect } from 'preact/hooks';
import type { DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { formatCount, formatMoney } from '../ui/format.ts';
import { Former } from '../ui/former.tsx';
import { announce } from '../ui/live-region.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { useCommand } from '../ui/use-command.ts';
import type { ProductSearch } from './search-section.tsx';
import { CATALOG_TEXTS } from './texts.ts';

type Found = DocumentOf<'catalog-search'>;
type Product = Found['products'][number];

type FoundProps = { readonly search: ProductSearch; onSpelling(text: string): void; onPage(page: number): void };

/** The products that a client's search finds. */
export function FoundProducts({ search, onSpelling, onPage }: FoundProps) {
  const { text, version, page } = search;
  const input = { text, page, ...(version !== '' && { version }) };
  const { document, former, error, isLoading } = useCommand('catalog-search', input);
  const found = document ?? former;
  useEffect(() => {
    if (document && !isLoading) announce(describeCount(document));
  }, [document, isLoading]);
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!found) return <p class="soft">{translate(CATALOG_TEXTS.searching)}</p>;
  return (
    <Former isFormer={found === former}>
      <p>
        {describeCount(found)}
        {found.did_you_mean !== null && <Suggestion text={found.did_you_mean} onChoose={onSpelling} />}
      </p>
      {found.products.length > 0 && (
        <DataTable
          caption={translate(CATALOG_TEXTS.search)}
          columns={listColumns()}
          rows={found.products}
          rowKey={({ id }) => id}
        />
      )}
      {found.pages > 1 && <Pages found={found} onPage={onPage} />}
    </Former>
  );
}

const describeCount = ({ count }: Found): string =>
  count === 0 ? translate(CATALOG_TEXTS.foundNothing) : translate(CATALOG_TEXTS.found, { count: formatCount(count) });

const Suggestion = ({ text, onChoose }: { readonly text: string; onChoose(text: string): void }) => (
  <span>
    {' '}
    {translate(CATALOG_TEXTS.didYouMean)} <Button onClick={() => onChoose(text)}>{text}</Button>?
  </span>
);

const Pages = ({ found: { page, pages }, onPage }: { readonly found: Found; onPage(page: number): void }) => (
  <div class="row">
    <Button isDisabled={page === 1} onClick={() => onPage(page - 1)}>
      {translate(CATALOG_TEXTS.previous)}
    </Button>
    <span>{translate(CATALOG_TEXTS.page, { page: formatCount(page), pages: formatCount(pages) })}</span>
    <Button isDisabled={page === pages} onClick={() => onPage(page + 1)}>
      {translate(CATALOG_TEXTS.next)}
    </Button>
  </div>
);

const listColumns = (): Column<Product>[] => [
  {
    key: 'product',
    title: translate(CATALOG_TEXTS.product),
    isHeader: true,
    cell: ({ name, presentation, company }) => (
      <span class="stacked">
        <span>{name}</span>
        <span class="soft">
          {presentation} · {company}
        </span>
      </span>
    ),
  },
  { key: 'id', title: translate(CATALOG_TEXTS.id), cell: ({ id }) => id },
  { key: 'price', title: translate(CATALOG_TEXTS.price), align: 'end', cell: ({ price }) => formatMoney(price) },
  { key: 'sale', title: translate(CATALOG_TEXTS.sale), cell: showSale },
  {
    key: 'requires',
    title: translate(CATALOG_TEXTS.requires),
    cell: ({ requires_prescription: isRequired }) => isRequired && translate(CATALOG_TEXTS.prescription),
  },
  { key: 'substitute', title: translate(CATALOG_TEXTS.substitute), cell: showSubstitute },
];

function showSale({ is_active, has_shortage }: Product) {
  if (!is_active) return <span class="badge">{translate(CATALOG_TEXTS.notSold)}</span>;
  return has_shortage ? (
    <span class="badge bad">{translate(CATALOG_TEXTS.outOfStock)}</span>
  ) : (
    <span class="badge good">{translate(CATALOG_TEXTS.inStock)}</span>
  );
}

function showSubstitute({ substitute }: Product) {
  if (!substitute) return null;
  const { name, presentation, price, saving } = substitute;
  return (
    <span class="stacked">
      <span>
        {name}, {presentation}
      </span>
      <span class="soft">
        {formatMoney(price)}
        {Number(saving) > 0 && <>, {translate(CATALOG_TEXTS.saving, { saving: formatMoney(saving) })}</>}
      </span>
    </span>
  );
}
