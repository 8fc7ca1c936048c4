import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { address, choose } from '../ui/address.ts';
import { Button, DoneNotice, ErrorNotice, Field } from '../ui/controls.tsx';
import { formatCount } from '../ui/format.ts';
import { runCommand, useQuery } from '../ui/server.ts';
import { type Column, DataTable, Part, View } from '../ui/view.tsx';

type Level = DocumentOf<'stock-list'>['levels'][number];

const BELOW = '5';

export function StockView() {
  const { below = BELOW } = address.value.params;
  const query = useQuery('stock-list', /^[1-9]\d{0,5}$/.test(below) ? { below } : undefined);
  const [level, setLevel] = useState<Level>();
  const [done, setDone] = useState('');
  const close = async (text: string) => {
    setLevel(undefined);
    setDone(text);
    await query.reload();
  };
  return (
    <View
      title="Existencias"
      query={query}
      isReloadable
      describe={({ levels }) => `${formatCount(levels.length)} con menos de ${below}.`}
      choice={
        <div class="row">
          <Field label="Menos de" value={below} inputMode="decimal" onChange={(value) => choose({ below: value })} />
        </div>
      }
    >
      {({ levels }) => (
        <>
          <DoneNotice text={done} />
          {level && <Adjustment level={level} onClose={close} />}
          <DataTable
            caption="Existencias"
            columns={listColumns(setLevel)}
            rows={levels}
            rowKey={({ product, store }) => `${product} ${store}`}
            empty="Nada de lo que se cuenta está por acabarse."
          />
        </>
      )}
    </View>
  );
}

const listColumns = (adjust: (level: Level) => void): readonly Column<Level>[] => [
  { title: 'Producto', isHeader: true, cell: ({ name }) => name },
  { class: 'whole', title: 'Sucursal', cell: ({ store }) => store },
  { title: 'Quedan', class: 'end', cell: ({ available }) => formatCount(available) },
  { title: 'Apartadas', class: 'end', cell: ({ reserved }) => formatCount(reserved) },
  {
    title: 'Ajuste',
    cell: (level) => (
      <Button label={`Ajustar: ${level.name}, sucursal ${level.store}`} onClick={() => adjust(level)}>
        Ajustar
      </Button>
    ),
  },
];

function Adjustment({ level, onClose }: { readonly level: Level; onClose(text: string): Promise<void> }) {
  const { product, store, name } = level;
  const [by, setBy] = useState('');
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [product, store]);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { available } = await runCommand('stock-adjust', { product, store, by, reason });
      await onClose(`${name}: quedan ${formatCount(available)}.`);
    } catch (failure) {
      setBusy(false);
      setError(failure);
    }
  };
  return (
    <Part title={`Ajustar ${name}, sucursal ${store}`}>
      <form class="row" ref={form} onSubmit={send}>
        <Field label="Piezas: -2 quita dos" value={by} required onChange={setBy} />
        <Field label="Motivo" value={reason} required maxLength={200} onChange={setReason} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Ajustar
        </Button>
        <Button onClick={() => void onClose('')}>Cancelar</Button>
      </form>
      <ErrorNotice error={error} />
    </Part>
  );
}
