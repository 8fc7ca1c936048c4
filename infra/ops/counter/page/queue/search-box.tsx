import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useShortcut } from '../ui/shortcuts.ts';
import { focusHeading } from '../view.tsx';

/** The search whose orders are shown in place of the queue; '' for the queue. It stays while other views are looked at. */
export const searchedText = signal('');
/** The search whose first order the reader wants to go to, once its orders are drawn. */
export const enteredText = signal<string | undefined>(undefined);

// Somebody who types on is not searched for each letter.
const PAUSE_MS = 300;
const FEWEST_LETTERS = 3;

/** The box for a folio, a name, an e-mail or a phone. The down arrow leads to what is found, Escape back to the queue. */
export function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState(searchedText.value);
  useShortcut('/', 'Buscar una orden', () => box.current?.focus());
  useEffect(() => {
    const isEnough = written === '' || written.trim().length >= FEWEST_LETTERS;
    const timer = window.setTimeout(() => {
      if (isEnough) searchedText.value = written.trim();
    }, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [written]);
  // The box is emptied when the search is emptied elsewhere.
  useEffect(() => searchedText.subscribe((text) => text === '' && setWritten('')), []);
  const search = () => {
    searchedText.value = written.trim();
  };
  const stay = () => {
    enteredText.value = undefined;
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setWritten('');
      searchedText.value = '';
      focusHeading();
    }
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    search();
    enteredText.value = written.trim();
  };
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <input
          ref={box}
          type="search"
          aria-label="Folio, nombre, correo o teléfono"
          placeholder="Folio, nombre, correo o teléfono"
          maxLength={200}
          autocomplete="off"
          value={written}
          onInput={({ currentTarget }) => {
            stay();
            setWritten(currentTarget.value);
          }}
          onBlur={stay}
          onKeyDown={press}
        />
      </form>
    </search>
  );
}
