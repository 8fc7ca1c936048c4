import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { toGtin14 } from '../../../../shared/domain/gtin.ts';
import { announce, Badge, Field, Notice } from '../ui/controls.tsx';
import { CallError, runCommand } from '../ui/server.ts';
import { type Column, DataTable } from '../ui/view.tsx';
import type { ShownOrder } from './texts.ts';

type Line = ShownOrder['details'][number];

/** What was scanned, which stays while the form is open; `pieces` are those of each line by its id. */
type Filling = ReturnType<typeof startFilling>;

export const startFilling = () => ({
  ...{ pieces: signal<Readonly<Record<number, number>>>({}), refused: signal(''), isToldMissing: false },
  products: new Map<string, ReturnType<typeof findProduct>>(),
});

const isDispensed = ({ quantity }: Line): boolean => quantity > 0;

const piecesOf = ({ pieces }: Filling, { id }: Line): number => pieces.value[id] ?? 0;

const countMissing = (lines: readonly Line[], filling: Filling): number =>
  lines.reduce((sum, line) => sum + line.quantity - piecesOf(filling, line), 0);

/**
 * Returns the lots in the form as the command takes them. Throws a CallError if one lacks its name or its expiry, and once if
 * some pieces were scanned and others were not; nothing has to be scanned.
 */
export function listLots({ details }: ShownOrder, filling: Filling, data: FormData): { readonly lot?: string[] } {
  const lines = details.filter(isDispensed);
  const missing = countMissing(lines, filling);
  if (missing > 0 && !filling.isToldMissing && lines.some((line) => piecesOf(filling, line) > 0)) {
    filling.isToldMissing = true;
    throw new CallError({ text: `Faltan ${missing} por leer: envíe de nuevo para surtirla así.` });
  }
  const lot = lines.flatMap(({ id, name }) => {
    const [lot = '', expiry = ''] = ['lot', 'expiry'].map((key) => String(data.get(`${key} ${id}`) ?? '').trim());
    if (!lot !== !expiry) throw new CallError({ text: `${name}: escriba el lote y su caducidad, o ninguno.` });
    return lot === '' ? [] : [`${id}:${lot}:${expiry}`];
  });
  return lot.length > 0 ? { lot } : {};
}

// Some scanners end a barcode with two line ends, of which the second would send the form.
const SCAN_MS = 300;

export function FillLines({ order, filling }: { readonly order: ShownOrder; readonly filling: Filling }) {
  const [written, write] = useState('');
  const scannedAt = useRef(0);
  const { refused } = filling;
  const lines = order.details.filter(isDispensed);
  const missing = countMissing(lines, filling);
  const scan = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }) => {
    if (event.key !== 'Enter') return;
    const code = event.currentTarget.value.trim();
    if (code !== '' || Date.now() - scannedAt.current < SCAN_MS) event.preventDefault();
    if (code === '') return;
    scannedAt.current = Date.now();
    write('');
    void tick(code, lines, filling);
  };
  return (
    <>
      <Field
        label="Código de barras"
        hint={
          missing === 0
            ? 'Todo está leído; Enter lo surte.'
            : `Faltan ${missing} por leer. Lote y caducidad son opcionales.`
        }
        maxLength={40}
        aria-invalid={refused.value !== '' || undefined}
        value={written}
        onChange={write}
        onKeyDown={scan}
      />
      {refused.value !== '' && <Notice tone="danger">{refused.value}</Notice>}
      <DataTable caption="Por surtir" columns={listColumns(filling)} rows={lines} rowKey={(line) => line.id} />
    </>
  );
}

const listColumns = (filling: Filling): readonly Column<Line>[] => [
  { title: 'Producto', isHeader: true, cell: ({ name, presentation }) => `${name}, ${presentation}` },
  {
    title: 'Piezas',
    cell: (line) => {
      const pieces = piecesOf(filling, line);
      return <Badge tone={pieces === line.quantity ? 'success' : 'warning'} text={`${pieces} de ${line.quantity}`} />;
    },
  },
  { title: 'Lote', cell: (line) => drawText(line, 'lot', 'Lote', 'Lote', 30) },
  { title: 'Caducidad', cell: (line) => drawText(line, 'expiry', 'Caducidad', 'AAAA-MM', 7) },
];

const drawText = ({ id, name }: Line, key: 'lot' | 'expiry', title: string, placeholder: string, maxLength: number) => {
  const shape = { name: `${key} ${id}`, placeholder, maxLength, size: 8, autocomplete: 'off' } as const;
  return <input type="text" aria-label={`${title} de ${name}`} {...shape} />;
};

const hasBarcode =
  (code: string) =>
  ({ ean_key: barcode }: { readonly ean_key: string }): boolean =>
    barcode !== '' && toGtin14(barcode) === toGtin14(code);

async function tick(code: string, lines: readonly Line[], filling: Filling): Promise<void> {
  const { products, pieces, refused } = filling;
  const finding = products.get(code) ?? findProduct(code);
  products.set(code, finding);
  const product = await finding;
  const own = lines.filter(hasBarcode(code));
  const line = own.find((each) => piecesOf(filling, each) < each.quantity);
  refused.value = explainFault(code, own, line, product);
  playSound(refused.value === '' ? RIGHT : WRONG);
  if (!line || refused.value !== '') return;
  const count = piecesOf(filling, line) + 1;
  pieces.value = { ...pieces.value, [line.id]: count };
  announce(`${line.name}: ${count} de ${line.quantity}`);
}

type Product = Awaited<ReturnType<typeof findProduct>>;

function explainFault(code: string, [first]: readonly Line[], line: Line | undefined, product: Product): string {
  if (!first) return `No es de esta orden: ${product === 'unread' ? code : (product?.name ?? code)}.`;
  if (product !== 'unread' && !product?.is_active) return `${first.name} ya no se vende: no se surte.`;
  return line ? '' : `De ${first.name} ya están todas las piezas.`;
}

/** Returns the published product of a barcode; `unread` if the catalog cannot be read, which keeps no order from being filled. */
async function findProduct(code: string) {
  try {
    return (await runCommand('catalog-search', { text: code })).products.find(hasBarcode(code));
  } catch {
    return 'unread';
  }
}

const RIGHT = { hertz: 880, seconds: 0.08 };
const WRONG = { hertz: 160, seconds: 0.4 };
const VOLUME = 0.15;

let audio: AudioContext | undefined;

function playSound({ hertz, seconds }: typeof RIGHT): void {
  // A browser allows it only after a key or a click.
  audio ??= new AudioContext();
  const [tone, gain] = [audio.createOscillator(), audio.createGain()];
  tone.type = 'square';
  tone.frequency.value = hertz;
  gain.gain.value = VOLUME;
  tone.connect(gain).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + seconds);
}
