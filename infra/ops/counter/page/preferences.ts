import { effect, signal } from '@preact/signals';

export type Language = 'es' | 'en';
export type Theme = 'auto' | 'light' | 'dark';

/** The language of the page: the one chosen before, or else the first of the browser's that the page speaks. */
export const language = signal<Language>(recall('language', ['es', 'en']) ?? preferredLanguage());
/** The colours of the page; `auto` follows the system. */
export const theme = signal<Theme>(recall('theme', ['auto', 'light', 'dark']) ?? 'auto');

effect(() => {
  document.documentElement.lang = language.value;
  remember('language', language.value);
});
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  remember('theme', theme.value);
});

// Cookies are those of the machine: the next counter, on another port, has them too.
function remember(name: string, choice: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API would give the language after the page is drawn
  document.cookie = `counter-${name}=${choice}; max-age=31536000; path=/; samesite=strict`;
}

function recall<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
  const kept = document.cookie.split('; ');
  return choices.find((choice) => kept.includes(`counter-${name}=${choice}`));
}

function preferredLanguage(): Language {
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
  return spoken.find((tag): tag is Language => tag === 'es' || tag === 'en') ?? 'es';
}
