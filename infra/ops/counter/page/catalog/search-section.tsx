import { useRef, useState } from 'preact/hooks';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Field, SelectField } from '../ui/field.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { toOptions, type Versions } from './choices.ts';
import { FoundProducts } from './found-products.tsx';
import { CATALOG_TEXTS } from './texts.ts';

/** A search and where it looks; `version` is '' for the current one. */
export type ProductSearch = { readonly text: string; readonly version: string; readonly page: number };

/** The search of clients, in the current version or another one. */
export function SearchSection({ versions }: { readonly versions: Versions }) {
  const [text, setText] = useState('');
  const [version, setVersion] = useState('');
  const [search, setSearch] = useState<ProductSearch>();
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', CATALOG_TEXTS.focusSearch, () => input.current?.focus());
  const find = (words: string) => {
    setText(words);
    setSearch({ text: words, version, page: 1 });
  };
  const choose = (chosen: string) => {
    setVersion(chosen);
    if (search) setSearch({ ...search, version: chosen, page: 1 });
  };
  const current = { value: '', label: translate(CATALOG_TEXTS.searchCurrent) };
  const others = toOptions(versions).filter(({ value }) => value !== versions.current);
  return (
    <section class="card" aria-labelledby="catalog-search">
      <h2 id="catalog-search">{translate(CATALOG_TEXTS.search)}</h2>
      <search>
        <form
          class="form-row"
          onSubmit={(event) => {
            event.preventDefault();
            find(text);
          }}
        >
          <Field label={translate(CATALOG_TEXTS.searchText)}>
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
          <SelectField
            label={translate(CATALOG_TEXTS.searchVersion)}
            options={[current, ...others]}
            value={version}
            onChange={choose}
          />
          <Button type="submit" kind="primary">
            {translate(CATALOG_TEXTS.find)}
          </Button>
        </form>
      </search>
      {search && <FoundProducts search={search} onSpelling={find} onPage={(page) => setSearch({ ...search, page })} />}
    </section>
  );
}
