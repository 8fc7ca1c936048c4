import './products.css';
import { useRef, useState } from 'preact/hooks';
import type { DocumentOf } from '../server/counter-commands.ts';
import { CallError, runCommand, useCommand } from './call.ts';
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
    <View title="Catálogo" query={query} onReload={() => void query.reload()} choice={<Search />}>
      {({ current, versions }) => (
        <section class="card" aria-labelledby="catalog-versions">
          <h2 id="catalog-versions">Versiones</h2>
          {versions.length === 0 ? (
            <p class="soft">Todavía no se publica ningún catálogo.</p>
          ) : (
            <DataTable
              caption="Versiones"
              columns={VERSION_COLUMNS}
              rows={versions.map((version) => ({ ...version, isCurrent: version.version === current }))}
              rowKey={({ version }) => version}
              isCurrent={({ isCurrent }) => isCurrent}
            />
          )}
        </section>
      )}
    </View>
  );
}

type Searched = { readonly text: string; readonly page: number };
type Found = DocumentOf<'catalog-search'>;
type Product = Found['products'][number];

function Search() {
  const [text, setText] = useState('');
  const [searched, setSearched] = useState<Searched>();
  const input = useRef<HTMLInputElement>(null);
  const query = useCommand('catalog-search', searched);
  const { marking, done, error, mark } = useMarking(query.reload);
  useShortcut('/', 'Buscar un producto', () => input.current?.focus());
  const find = (words: string) => {
    setText(words);
    setSearched({ text: words, page: 1 });
  };
  return (
    <section class="card" aria-labelledby="catalog-search">
      <h2 id="catalog-search">Buscar como los clientes</h2>
      <search>
        <form
          class="choice product-search"
          onSubmit={(event) => {
            event.preventDefault();
            find(text);
          }}
        >
          <Field label="Nombre o código de barras">
            {(control) => (
              <input
                {...control}
                ref={input}
                type="search"
                maxLength={200}
                autocomplete="off"
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
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
                {countText(found)}
                {found.did_you_mean !== null && <Suggestion text={found.did_you_mean} onChoose={find} />}
              </p>
              {found.products.length > 0 && (
                <DataTable
                  caption="Productos encontrados"
                  columns={listProductColumns(marking, mark)}
                  rows={found.products}
                  rowKey={({ id }) => id}
                />
              )}
              {found.pages > 1 && <Pages found={found} onPage={(page) => setSearched({ ...searched, page })} />}
            </>
          )}
        </Loaded>
      )}
    </section>
  );
}

// The command's own sentence is in English.
const GUARDED = 'No se publicó: la terminal dice qué hay que aceptar (`catalog shortage`).';
const isGuarded = (error: unknown): error is CallError => error instanceof CallError && error.code === 'command_failed';

/** Marks products as out of stock or back, one after the other: each is a version of the catalog. */
function useMarking(reload: () => Promise<void>) {
  const [state, setState] = useState<{ readonly marking?: number; readonly done?: string; readonly error?: unknown }>(
    {},
  );
  const mark = async ({ id, name, presentation, has_shortage: hasShortage }: Product) => {
    setState({ marking: id });
    try {
      await runCommand('catalog-shortage', { products: [id], on: !hasShortage, off: hasShortage });
      const done = `${name}, ${presentation}: ${hasShortage ? 'disponible' : 'agotado'}.`;
      announce(done);
      setState({ done });
    } catch (error) {
      setState({ error: isGuarded(error) ? new CallError({ code: error.code, text: GUARDED }) : error });
    }
    await reload();
  };
  return { ...state, mark };
}

function countText({ count }: Found): string {
  if (count === 0) return 'Ningún producto.';
  return count === 1 ? 'Un producto' : `${formatCount(count)} productos`;
}

const Suggestion = ({ text, onChoose }: { readonly text: string; onChoose(text: string): void }) => (
  <span>
    {' '}
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

function showSale({ is_active, has_shortage }: Product) {
  if (!is_active) return <span class="badge">No se vende</span>;
  return has_shortage ? <span class="badge bad">Agotado</span> : <span class="badge good">Disponible</span>;
}

const stockText = ({ has_shortage: hasShortage }: Product): string => (hasShortage ? 'Ya hay' : 'Se agotó');

function showSubstitute({ substitute }: Product) {
  if (!substitute) return null;
  const { name, presentation, price, saving } = substitute;
  return (
    <span class="stacked">
      <span>{`${name}, ${presentation}`}</span>
      <span class="soft">
        {saving !== undefined && Number(saving) > 0
          ? `${formatMoney(price)}, ahorra ${formatMoney(saving)}`
          : formatMoney(price)}
      </span>
    </span>
  );
}

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

type Version = DocumentOf<'catalog-versions'>['versions'][number] & { readonly isCurrent: boolean };

const VERSION_COLUMNS: readonly Column<Version>[] = [
  {
    key: 'version',
    title: 'Versión',
    isHeader: true,
    cell: ({ version, isCurrent }) => (
      <>
        <code>{version}</code> {isCurrent && <span class="badge good">Vigente</span>}
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
