import { MESSAGES, type Message, type MessageValues } from './messages.ts';
import { REFUSALS, type RefusalCode } from './refusals.ts';

export type Language = 'es' | 'en';
export type Text = Readonly<Record<Language, string>>;

const TEXTS = { ...REFUSALS, ...MESSAGES };

/** Returns the text of a message or of a refusal in one language. */
export function say(message: Message | { readonly code: RefusalCode }, language: Language): string {
  return fillIn(TEXTS[message.code][language], ('values' in message && message.values) || {});
}

/** Puts the values into a text, each in the place of its `{name}`. */
export const fillIn = (text: string, values: MessageValues): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** The characters of the header that are read; what follows them is ignored. */
export const MAX_LANGUAGES = 500;

/** Returns the caller's preferred language: Spanish unless English is asked for above it (RFC 9110, 12.5.4). */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const ranges = (acceptLanguage ?? '').slice(0, MAX_LANGUAGES).split(',').map(parseRange);
  const weightOf = (language: Language) =>
    Math.max(0, ...ranges.filter((range) => range.language === language).map((range) => range.weight));
  return weightOf('en') > weightOf('es') ? 'en' : 'es';
}

function parseRange(written: string): { language: string | undefined; weight: number } {
  const [tag = '', ...parameters] = written.trim().toLowerCase().split(';');
  const quality = parameters.map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]).find(Boolean);
  return { language: tag.split('-')[0], weight: quality === undefined ? 1 : Number(quality) };
}
