import { useState } from 'preact/hooks';
import { foldLot } from '../../../../shared/prescriptions/rules/prescription.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { address, choose, linkToOrder } from '../ui/address.ts';
import { Badge, Button, DoneNotice, ErrorNotice, Field, Pages, SearchInput } from '../ui/controls.tsx';
import { formatCalendarDay, formatCount, formatDateTime, formatMoney, formatPhone } from '../ui/format.ts';
import { CallError, runCommand, useQuery } from '../ui/server.ts';
import { ORDER } from '../ui/statuses.ts';
import { type Column, DataTable, Loaded, Part, TablePart, TwoLines, View } from '../ui/view.tsx';

const REFRESH_MS = 60_000;

export function ProductsView() {
  const query = useQuery('catalog-versions', {}, { everyMs: REFRESH_MS });
  return (
    <View title="Catálogo" query={query} isReloadable choice={[<Recall key="recall" />, <Search key="search" />]}>
      {({ current, versions }) => (
        <TablePart
          title="Versiones"
          columns={listVersionColumns(current)}
          rows={versions}
          isCurrent={({ version }) => version === current}
          empty="Todavía no se publica ningún catálogo."
        />
      )}
    </View>
  );
}

type Versions = DocumentOf<'catalog-versions'>;

const listVersionColumns = (current: Versions['current']): readonly Column<Versions['versions'][number]>[] => [
  {
    title: 'Versión',
    isHeader: true,
    cell: ({ version }) => (
      <>
        <code>{version}</code> {version === current && <Badge tone="success" text="Vigente" />}
      </>
    ),
  },
  { title: 'Publicada', cell: ({ published_at }) => formatDateTime(published_at) },
  // The ARN of an assumed role ends with the person's name.
  { title: 'Por', cell: ({ author }) => author?.split('/').at(-1) },
  { title: 'Etiqueta', cell: ({ label }) => label },
  { title: 'Productos', class: 'end', cell: ({ products }) => formatCount(products) },
];

type Found = DocumentOf<'catalog-search'>;
type Product = Found['products'][number];
type Marking = { readonly product?: number; readonly done?: string; readonly error?: unknown };

function Search() {
  const { search: text, page = '1' } = address.value.params;
  const query = useQuery('catalog-search', text === undefined ? undefined : { text, page });
  const [{ product, done, error }, setMarking] = useState<Marking>({});
  const mark = async (marked: Product) => {
    setMarking({ product: marked.id });
    setMarking(await markShortage(marked));
    await query.reload();
  };
  const search = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    choose({ search: String(new FormData(event.currentTarget).get('search')).trim(), page: '' });
  };
  return (
    <Part title="Buscar como los clientes">
      <search>
        <form class="row" onSubmit={search}>
          <SearchInput label="Nombre o código de barras" purpose="Buscar un producto" text={text ?? ''} />
          <Button type="submit" kind="primary">
            Buscar
          </Button>
        </form>
      </search>
      <DoneNotice text={done} />
      <ErrorNotice error={error} />
      {text !== undefined && (
        <Loaded query={query} describe={countText}>
          {(found) => (
            <>
              <p>
                {countText(found)} <Suggestion text={found.did_you_mean} />
              </p>
              <DataTable
                caption="Productos encontrados"
                columns={listProductColumns(product, mark)}
                rows={found.products}
                rowKey={({ id }) => id}
              />
              <Pages {...found} onTurn={(to) => choose({ page: to })} />
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

const Suggestion = ({ text }: { readonly text: string | null }) =>
  text && (
    <span>
      ¿Quiso decir <Button onClick={() => choose({ search: text, page: '' })}>{text}</Button>?
    </span>
  );

const STILL_SHORT = 'Sigue agotado: el catálogo lo publica así, o ninguna sucursal que lo cuenta tiene.';

async function markShortage({ id, name, presentation, has_shortage: hasShortage }: Product): Promise<Marking> {
  try {
    const marked = await runCommand('catalog-shortage', { products: [id], on: !hasShortage, off: hasShortage });
    const isStill = hasShortage && marked.out_of_stock.includes(id);
    if (isStill) return { error: new CallError({ text: STILL_SHORT }) };
    return { done: `${name}, ${presentation}: ${hasShortage ? 'disponible' : 'agotado'}.` };
  } catch (error) {
    return { error };
  }
}

function drawSale({ is_active, has_shortage }: Product) {
  if (!is_active) return <Badge tone="text-soft" text="No se vende" />;
  return has_shortage ? <Badge tone="danger" text="Agotado" /> : <Badge tone="success" text="Disponible" />;
}

function drawSubstitute({ substitute }: Product) {
  if (!substitute) return null;
  const { name, presentation, price, saving = 0 } = substitute;
  const savingText = Number(saving) > 0 ? `, ahorra ${formatMoney(saving)}` : '';
  return <TwoLines first={`${name}, ${presentation}`} second={formatMoney(price) + savingText} />;
}

const listProductColumns = (
  marking: number | undefined,
  mark: (product: Product) => Promise<void>,
): readonly Column<Product>[] => [
  {
    title: 'Producto',
    isHeader: true,
    cell: ({ name, presentation, company }) => <TwoLines first={name} second={`${presentation} · ${company}`} />,
  },
  { title: 'Id', cell: ({ id }) => id },
  { title: 'Precio', class: 'end', cell: ({ price }) => formatMoney(price) },
  { title: 'Venta', cell: drawSale },
  { title: 'Requiere', cell: ({ requires_prescription: isRequired }) => isRequired && 'Receta' },
  { title: 'Sustituto más barato', cell: drawSubstitute },
  {
    title: 'Existencias',
    cell: (product) => {
      const text = product.has_shortage ? 'Ya hay' : 'Se agotó';
      return (
        <Button
          isBusy={marking === product.id}
          isUnavailable={marking !== undefined}
          label={`${text}: ${product.name}, ${product.presentation}`}
          onClick={() => void mark(product)}
        >
          {text}
        </Button>
      );
    },
  },
  {
    title: 'Retiro',
    cell: ({ id, name, presentation }) => (
      <Button label={`Quién lo recibió: ${name}, ${presentation}`} onClick={() => choose({ recall: String(id) })}>
        Quién lo recibió
      </Button>
    ),
  },
];

type Dispensed = DocumentOf<'orders-recall'>['dispensed'][number];

/** Who got the product of the address, by lot and day, to call them when it is recalled. */
function Recall() {
  const { recall: product, lot = '', from = '', until = '' } = address.value.params;
  const days = { ...(from && { from }), ...(until && { until }) };
  const query = useQuery('orders-recall', product === undefined ? undefined : { product, ...days });
  if (product === undefined) return null;
  // A lot is typed letter by letter, and nothing is read for each.
  const isSought = (row: Dispensed) => row.lot === null || foldLot(row.lot).startsWith(foldLot(lot));
  return (
    <Part title={`Quién recibió el producto ${product}`}>
      <div class="choice">
        <Field label="Lote" maxLength={30} value={lot} onChange={(value) => choose({ lot: value })} />
        <Field label="Desde" type="date" value={from} onChange={(value) => choose({ from: value })} />
        <Field label="Hasta" type="date" value={until} onChange={(value) => choose({ until: value })} />
        <Button onClick={() => choose({ recall: '', lot: '', from: '', until: '' })}>Cerrar</Button>
      </div>
      <Loaded query={query} describe={({ dispensed }) => countPieces(dispensed.filter(isSought))}>
        {({ dispensed }) => (
          <>
            <p>{countPieces(dispensed.filter(isSought))}</p>
            <DataTable caption="Quién lo recibió" columns={RECALL_COLUMNS} rows={dispensed.filter(isSought)} />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function countPieces(dispensed: readonly Dispensed[]): string {
  const pieces = dispensed.reduce((sum, { quantity }) => sum + quantity, 0);
  const orders = new Set(dispensed.map(({ order }) => order)).size;
  return `Piezas: ${formatCount(pieces)}, en órdenes: ${formatCount(orders)}.`;
}

const RECALL_COLUMNS: readonly Column<Dispensed>[] = [
  { title: 'Orden', isHeader: true, cell: ({ order, folio }) => <a href={linkToOrder(order)}>{folio}</a> },
  { title: 'Surtida', cell: ({ day }) => formatCalendarDay(day) },
  { title: 'Estado', cell: ({ order_status }) => <Badge {...ORDER[order_status]} /> },
  { title: 'Paciente', cell: ({ patient }) => patient || 'Paciente borrado' },
  { title: 'Teléfono', cell: ({ phone }) => phone && <a href={`tel:${phone}`}>{formatPhone(phone)}</a> },
  { title: 'Lote', cell: ({ lot, expiry }) => (lot ? `${lot}, caduca ${expiry}` : 'sin anotar') },
  { title: 'Piezas', class: 'end', cell: ({ quantity }) => formatCount(quantity) },
];
