import { signal } from '@preact/signals';
import { translate } from '../text.ts';
import { Dialog } from './dialog.tsx';
import { shortcuts, useShortcut } from './shortcuts.ts';
import { DataTable } from './table.tsx';
import { UI_TEXTS } from './texts.ts';

const isOpen = signal(false);

export function openShortcuts(): void {
  isOpen.value = true;
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** The list of what the keys do in the present view. Stands in the page once; `?` opens it. */
export function ShortcutsDialog() {
  useShortcut('?', UI_TEXTS.showShortcuts, openShortcuts);
  if (!isOpen.value) return null;
  const close = () => {
    isOpen.value = false;
  };
  const columns = [
    {
      key: 'key',
      title: translate(UI_TEXTS.shortcutKey),
      isHeader: true,
      cell: (shown: Shown) => <kbd>{NAMES[shown.key] ?? shown.key}</kbd>,
    },
    { key: 'action', title: translate(UI_TEXTS.shortcutAction), cell: (shown: Shown) => translate(shown.text) },
  ];
  return (
    <Dialog title={translate(UI_TEXTS.shortcuts)} onClose={close}>
      <DataTable
        caption={translate(UI_TEXTS.shortcuts)}
        columns={columns}
        rows={shortcuts.value}
        rowKey={({ key }) => key}
      />
    </Dialog>
  );
}

type Shown = (typeof shortcuts.value)[number];
