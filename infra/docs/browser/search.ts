import { all, one } from './dom.ts';

/** Shows only what has all the words in it, in the page and in its contents. */
export function setUpSearch(): void {
  const field = one('#search', HTMLInputElement);
  const entries = all('.entry', HTMLElement);
  const links = new Map(all('nav a', HTMLAnchorElement).map((link) => [link.hash.slice(1), link]));
  const contents = one('#contents', HTMLDetailsElement);
  // On a small screen the contents would stand before everything else.
  contents.open = matchMedia('(min-width: 60rem)').matches;

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const entry of entries) {
      const isWanted = words.every((word) => entry.dataset.words?.includes(word));
      entry.hidden = !isWanted;
      links.get(entry.id)?.parentElement?.toggleAttribute('hidden', !isWanted);
      if (isWanted) found += 1;
    }
    document.body.classList.toggle('searching', words.length > 0);
    one('#nothing', HTMLElement).hidden = found > 0;
  };

  field.addEventListener('input', show);
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') entries.find((entry) => !entry.hidden)?.scrollIntoView();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    field.focus();
  });
  // A link may lead to what the search has hidden.
  document.addEventListener('click', ({ target }) => {
    const hash = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]')?.hash : undefined;
    const entry = hash ? document.getElementById(hash.slice(1)) : null;
    if (!entry) return;
    if (!matchMedia('(min-width: 60rem)').matches) contents.open = false;
    if (!entry.hidden) return;
    field.value = '';
    show();
  });
}
