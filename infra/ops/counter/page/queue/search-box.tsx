import { useEffect, useRef, useState } from 'preact/hooks';
import { translate } from '../text.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { focusHeading } from '../ui/view-heading.tsx';
import { enteredText, searchedText } from './queue-state.ts';
import { QUEUE_TEXTS } from './texts.ts';

// Somebody who types on is not searched for each letter.
const PAUSE_MS = 300;
const FEWEST_LETTERS = 3;

/** The box for a folio, a name, an e-mail or a phone. The down arrow leads to what is found, Escape back to the queue. */
export function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState(searchedText.value);
  useShortcut('/', QUEUE_TEXTS.goToSearch, () => box.current?.focus());
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
  const goDown = () => {
    search();
    enteredText.value = written.trim();
  };
  const stay = () => {
    enteredText.value = undefined;
  };
  const leave = () => {
    setWritten('');
    searchedText.value = '';
    focusHeading();
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
          aria-label={translate(QUEUE_TEXTS.searchFor)}
          placeholder={translate(QUEUE_TEXTS.searchFor)}
          maxLength={200}
          autocomplete="off"
          value={written}
          onInput={({ currentTarget }) => {
            stay();
            setWritten(currentTarget.value);
          }}
          onBlur={stay}
          onKeyDown={(event) => {
            if (event.key === 'Escape') leave();
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            goDown();
          }}
        />
      </form>
    </search>
  );
}
