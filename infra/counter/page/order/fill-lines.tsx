import { type Signal, signal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { toGtin14 } from '../../../../shared/domain/gtin.ts';
import { announce, Badge, Notice } from '../ui/controls.tsx';
import { CallError, runCommand } from '../ui/server.ts';
import { type Column, DataTable } from '../ui/view.tsx';
import type { ShownOrder } from './texts.ts';

type Line = ShownOrder['details'][number];
type Filled = { readonly pieces: number; readonly lot: string; readonly expiry: string };

/** What was scanned and written of each line, by its id, which stays while the form is open. */
type Filling = {
  readonly lines: Signal<Readonly<Record<number, Filled>>>;
  readonly refused: Signal<string>;
  /** True once the reader was told that pieces are missing. */
  readonly isToldMissing: Signal<boolean>;
  readonly products: Map<string, ReturnType<typeof findProduct>>;
};

export const startFilling = (): Filling => ({
  ...{ lines: signal({}), refused: signal(''), isToldMissing: signal(false) },
  products: new Map(),
});

const NOTHING: Filled = { pieces: 0, lot: '', expiry: '' };

const filledOf = ({ lines }: Filling, { id }: Line): Filled => lines.value[id] ?? NOTHING;

const fill = (filling: Filling, line: Line, changes: Partial<Filled>): void => {
  const { lines } = filling;
  lines.value = { ...lines.value, [line.id]: { ...filledOf(filling, line), ...changes } };
};

const isDispensed = ({ quantity }: Line): boolean => quantity > 0;

const countMissing = (lines: readonly Line[], filling: Filling): number =>
  lines.reduce((sum, line) => sum + line.quantity - filledOf(filling, line).pieces, 0);

/**
 * Returns the lots as the command takes them. Throws a CallError if one lacks its name or its expiry, and once if some pieces were
 * scanned and others were not; nothing has to be scanned.
 */
export function listLots({ details }: ShownOrder, filling: Filling): { readonly lot?: readonly string[] } {
  const lines = details.filter(isDispensed);
  const missing = countMissing(lines, filling);
  if (missing > 0 && !filling.isToldMissing.value && lines.some((line) => filledOf(filling, line).pieces > 0)) {
    filling.isToldMissing.value = true;
    throw new CallError({
      code: 'invalid_input',
      text: `Faltan ${missing} por leer: envíe de nuevo para surtirla así.`,
    });
  }
  const lot = lines.flatMap((line) => {
    const { lot, expiry } = filledOf(filling, line);
    const [name, month] = [lot.trim(), expiry.trim()];
    if (!name !== !month)
      throw new CallError({ code: 'invalid_input', text: `${line.name}: escriba el lote y su caducidad, o ninguno.` });
    return name === '' ? [] : [`${line.id}:${name}:${month}`];
  });
  return lot.length > 0 ? { lot } : {};
}

type Props = { readonly order: ShownOrder; readonly filling: Filling };

// Some scanners end a barcode with two line ends, of which the second would send the form.
const SCAN_MS = 300;

/** The lines of an order to fill: each scanned or typed barcode ticks a piece off. */
export function FillLines({ order, filling }: Props) {
  const id = useId();
  const scannedAt = useRef(0);
  const { refused } = filling;
  const lines = order.details.filter(isDispensed);
  const missing = countMissing(lines, filling);
  const scan = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }) => {
    const { key, currentTarget: box } = event;
    if (key !== 'Enter') return;
    const code = box.value.trim();
    if (code !== '' || Date.now() - scannedAt.current < SCAN_MS) event.preventDefault();
    if (code === '') return;
    scannedAt.current = Date.now();
    box.value = '';
    void tick(code, lines, filling);
  };
  return (
    <>
      <div class="field">
        <label for={id}>Código de barras</label>
        <input
          id={id}
          type="text"
          autocomplete="off"
          maxLength={40}
          aria-invalid={refused.value !== '' || undefined}
          aria-describedby={`${id}-hint`}
          onKeyDown={scan}
        />
        <p id={`${id}-hint`} class="hint">
          {missing === 0
            ? 'Todo está leído; Enter lo surte.'
            : `Faltan ${missing} por leer. Lote y caducidad son opcionales.`}
        </p>
      </div>
      {refused.value !== '' && <Notice tone="danger">{refused.value}</Notice>}
      <DataTable caption="Por surtir" columns={listColumns(filling)} rows={lines} rowKey={(line) => line.id} />
    </>
  );
}

const listColumns = (filling: Filling): readonly Column<Line>[] => [
  { key: 'product', title: 'Producto', isHeader: true, cell: ({ name, presentation }) => `${name}, ${presentation}` },
  {
    key: 'pieces',
    title: 'Piezas',
    cell: (line) => {
      const { pieces } = filledOf(filling, line);
      return <Badge tone={pieces === line.quantity ? 'success' : 'warning'} text={`${pieces} de ${line.quantity}`} />;
    },
  },
  { key: 'lot', title: 'Lote', cell: (line) => drawText(line, filling, 'lot', 'Lote', 30) },
  { key: 'expiry', title: 'Caducidad', cell: (line) => drawText(line, filling, 'expiry', 'AAAA-MM', 7) },
];

const drawText = (line: Line, filling: Filling, key: 'lot' | 'expiry', hint: string, maxLength: number) => (
  <input
    type="text"
    aria-label={`${key === 'lot' ? 'Lote' : 'Caducidad'} de ${line.name}`}
    placeholder={hint}
    size={8}
    maxLength={maxLength}
    autocomplete="off"
    value={filledOf(filling, line)[key]}
    onInput={({ currentTarget }) => fill(filling, line, { [key]: currentTarget.value })}
  />
);

/** Ticks a piece off, or tells by a text in red and a low sound why its barcode is refused. */
async function tick(code: string, lines: readonly Line[], filling: Filling): Promise<void> {
  const own = lines.filter(({ ean_key: barcode }) => barcode !== '' && toGtin14(barcode) === toGtin14(code));
  const product = await findProductOnce(code, filling);
  const line = own.find((each) => filledOf(filling, each).pieces < each.quantity);
  const fault = explainFault(code, own, line, product);
  filling.refused.value = fault;
  playSound(fault === '' ? 'right' : 'wrong');
  if (!line || fault !== '') return;
  const pieces = filledOf(filling, line).pieces + 1;
  fill(filling, line, { pieces });
  announce(`${line.name}: ${pieces} de ${line.quantity}`);
}

type Product = Awaited<ReturnType<typeof findProduct>>;

function explainFault(code: string, own: readonly Line[], line: Line | undefined, product: Product): string {
  const [first] = own;
  if (!first) return `No es de esta orden: ${product === 'unread' ? code : (product?.name ?? code)}.`;
  if (product !== 'unread' && !product?.is_active) return `${first.name} ya no se vende: no se surte.`;
  return line ? '' : `De ${first.name} ya están todas las piezas.`;
}

function findProductOnce(code: string, { products }: Filling): ReturnType<typeof findProduct> {
  const found = products.get(code) ?? findProduct(code);
  products.set(code, found);
  return found;
}

/** Returns the published product of a barcode; `unread` if the catalog cannot be read, which keeps no order from being filled. */
async function findProduct(code: string) {
  try {
    const { products } = await runCommand('catalog-search', { text: code });
    return products.find(({ ean_key: barcode }) => barcode !== '' && toGtin14(barcode) === toGtin14(code));
  } catch {
    return 'unread';
  }
}

const SOUNDS = { right: { hertz: 880, seconds: 0.08 }, wrong: { hertz: 160, seconds: 0.4 } } as const;
const VOLUME = 0.15;

let audio: AudioContext | undefined;

/** Plays a short high tone for what is right, and a long low one for what is wrong. */
function playSound(kind: keyof typeof SOUNDS): void {
  const { hertz, seconds } = SOUNDS[kind];
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
