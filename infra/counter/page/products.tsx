import './products.css';
import { useRef, useState } from 'preact/hooks';
import type { DocumentOf } from '../server/counter-commands.ts';
import { CallError, runCommand, useCommand } from './call.ts';
import { Part } from './order/parts.tsx';
import { Button } from './ui/button.tsx';
import { Field } from './ui/field.tsx';
import { formatCount, formatDateTime, formatMoney } from './ui/format.ts';
import { announce, ErrorNotice, Notice } from './ui/notice.tsx';
import { useShortcut } from './ui/shortcuts.ts';
import { type Column, DataTable } from './ui/table.tsx';
import { Loaded, View } from './view.tsx';

const REFRESH_MS = 60_000;

export function ProductsView() {
  const query = useCommand('catalog-versions', {}, { everyMs: REFRESH_MS });
  return (
    <View title="Catálogo" query={query} isReloadable choice={<Search onPublished={query.reload} />}>
      {({ current, versions }) => (
        <Part title="Versiones">
          <DataTable
            caption="Versiones"
            columns={listVersionColumns(current)}
            rows={versions}
            rowKey={({ version }) => version}
            isCurrent={({ version }) => version === current}
            empty="Todavía no se publica ningún catálogo."
          />
        </Part>
      )}
    </View>
  );
}

type Versions = DocumentOf<'catalog-versions'>;

const listVersionColumns = (current: Versions['current']): readonly Column<Versions['versions'][number]>[] => [
  {
    key: 'version',
    title: 'Versión',
    isHeader: true,
    cell: ({ version }) => (
      <>
        <code>{version}</code> {version === current && <span class="badge good">Vigente</span>}
      </>
    ),
  },
  { key: 'published', title: 'Publicada', cell: ({ published_at }) => formatDateTime(published_at) },
  // The name of a person ends the ARN of a role that they have assumed.
  { key: 'author', title: 'Por', cell: ({ author }) => author?.split('/').at(-1) },
  {
    key: 'label',
    title: 'Etiqueta',
    // The labels that `catalog shortage` itself gives are in English.
    cell: ({ label }) => label?.replace(/^shortage of /, 'Agotado: ').replace(/^back: /, 'Disponible: '),
  },
  { key: 'products', title: 'Productos', align: 'end', cell: ({ products }) => formatCount(products) },
];

type Found = DocumentOf<'catalog-search'>;
type Product = Found['products'][number];

/** The search of the published catalog; `onPublished` is called when a mark may have made another version current. */
function Search({ onPublished }: { onPublished(): Promise<void> }) {
  const [searched, setSearched] = useState<{ readonly text: string; readonly page: number }>();
  const input = useRef<HTMLInputElement>(null);
  const query = useCommand('catalog-search', searched);
  const [{ marking, done, error }, setMarking] = useState<Marking>({});
  // Products are marked one after the other, as each makes a version of the catalog.
  const mark = async (product: Product) => {
    setMarking({ marking: product.id });
    setMarking(await markShortage(product));
    await Promise.all([query.reload(), onPublished()]);
  };
  useShortcut('/', 'Buscar un producto', () => input.current?.focus());
  const find = (text: string) => {
    if (input.current) input.current.value = text;
    setSearched({ text, page: 1 });
  };
  return (
    <Part title="Buscar como los clientes">
      <search>
        <form
          class="choice product-search"
          onSubmit={(event) => {
            event.preventDefault();
            find(input.current?.value ?? '');
          }}
        >
          <Field label="Nombre o código de barras">
            {(control) => <input {...control} ref={input} type="search" maxLength={200} autocomplete="off" />}
          </Field>
          <Button type="submit" kind="primary">
            Buscar
          </Button>
        </form>
      </search>
      {done && <Notice kind="success">{done}</Notice>}
      <ErrorNotice error={error} />
      {searched && (
        <Loaded query={query} describe={countText}>
          {(found) => (
            <>
              <p>
                {countText(found)} <Suggestion text={found.did_you_mean} onChoose={find} />
              </p>
              <DataTable
                caption="Productos encontrados"
                columns={listProductColumns(marking, mark)}
                rows={found.products}
                rowKey={({ id }) => id}
              />
              {found.pages > 1 && <Pages found={found} onPage={(page) => setSearched({ ...searched, page })} />}
            </>
          )}
        </Loaded>
      )}
    </Part>
  );
}

function countText({ count }: Found): string {
  if (count === 0) return 'Ningún producto.';
  return count === 1 ? 'Un producto' : `${formatCount(count)} productos`;
}

const Suggestion = ({ text, onChoose }: { readonly text: string | null; onChoose(text: string): void }) =>
  text === null ? null : (
    <span>
      ¿Quiso decir <Button onClick={() => onChoose(text)}>{text}</Button>?
    </span>
  );

const Pages = ({ found: { page, pages }, onPage }: { readonly found: Found; onPage(page: number): void }) => (
  <div class="row">
    <Button isUnavailable={page === 1} onClick={() => onPage(page - 1)}>
      Anterior
    </Button>
    <span>{`Página ${formatCount(page)} de ${formatCount(pages)}`}</span>
    <Button isUnavailable={page === pages} onClick={() => onPage(page + 1)}>
      Siguiente
    </Button>
  </div>
);

type Marking = { readonly marking?: number; readonly done?: string; readonly error?: unknown };

// Only a catalog that a former release published does not pass. The command's own sentence is in English.
const INVALID =
  'No se publicó: el catálogo vigente no cumple las reglas de este programa. La terminal dice qué corregir (`catalog shortage`).';

/** Marks a product as out of stock or back, and tells what has come of it. */
async function markShortage({ id, name, presentation, has_shortage: hasShortage }: Product): Promise<Marking> {
  try {
    await runCommand('catalog-shortage', { products: [id], on: !hasShortage, off: hasShortage });
  } catch (error) {
    const isInvalid = error instanceof CallError && error.code === 'command_failed';
    return { error: isInvalid ? new CallError({ code: error.code, text: INVALID }) : error };
  }
  const done = `${name}, ${presentation}: ${hasShortage ? 'disponible' : 'agotado'}.`;
  announce(done);
  return { done };
}

function showSale({ is_active, has_shortage }: Product) {
  if (!is_active) return <span class="badge">No se vende</span>;
  return has_shortage ? <span class="badge bad">Agotado</span> : <span class="badge good">Disponible</span>;
}

function showSubstitute({ substitute }: Product) {
  if (!substitute) return null;
  const { name, presentation, price, saving = 0 } = substitute;
  return (
    <span class="stacked">
      <span>{`${name}, ${presentation}`}</span>
      <span class="soft">
        {formatMoney(price)}
        {Number(saving) > 0 && `, ahorra ${formatMoney(saving)}`}
      </span>
    </span>
  );
}

const stockText = ({ has_shortage: hasShortage }: Product): string => (hasShortage ? 'Ya hay' : 'Se agotó');

const listProductColumns = (
  marking: number | undefined,
  mark: (product: Product) => Promise<void>,
): readonly Column<Product>[] => [
  {
    key: 'product',
    title: 'Producto',
    isHeader: true,
    cell: ({ name, presentation, company }) => (
      <span class="stacked">
        <span>{name}</span>
        <span class="soft">{`${presentation} · ${company}`}</span>
      </span>
    ),
  },
  { key: 'id', title: 'Id', cell: ({ id }) => id },
  { key: 'price', title: 'Precio', align: 'end', cell: ({ price }) => formatMoney(price) },
  { key: 'sale', title: 'Venta', cell: showSale },
  { key: 'requires', title: 'Requiere', cell: ({ requires_prescription: isRequired }) => isRequired && 'Receta' },
  { key: 'substitute', title: 'Sustituto más barato', cell: showSubstitute },
  {
    key: 'stock',
    title: 'Existencias',
    cell: (product) => (
      <Button
        isBusy={marking === product.id}
        isUnavailable={marking !== undefined}
        label={`${stockText(product)}: ${product.name}, ${product.presentation}`}
        onClick={() => void mark(product)}
      >
        {stockText(product)}
      </Button>
    ),
  },
];
