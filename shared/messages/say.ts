import { MESSAGES, type Message, type MessageValues } from './messages.ts';
import { REFUSALS, type RefusalCode } from './refusals.ts';

export type Language = 'es' | 'en';
export type Text = Readonly<Record<Language, string>>;

const TEXTS = { ...REFUSALS, ...MESSAGES };

export const say = (message: Message | { readonly code: RefusalCode }, language: Language): string =>
  fillIn(TEXTS[message.code][language], ('values' in message && message.values) || {});

export const fillIn = (text: string, values: MessageValues): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** The rest of a longer header is ignored. */
export const MAX_LANGUAGES = 500;

/** Returns the language of the greatest weight (RFC 9110, 12.5.4), the first of equals; Spanish if neither is accepted. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const ranges = (acceptLanguage ?? '').slice(0, MAX_LANGUAGES).split(',').map(parseRange);
  const find = (language: string) =>
    ranges.reduce<Range | undefined>(
      (best, range) => (range.language === language && range.weight > (best?.weight ?? -1) ? range : best),
      undefined,
    );
  const [es, en] = [find('es') ?? find('*'), find('en') ?? find('*')];
  if (!en || en.weight === 0) return 'es';
  if (!es || en.weight !== es.weight) return en.weight > (es?.weight ?? 0) ? 'en' : 'es';
  return ranges.indexOf(en) < ranges.indexOf(es) ? 'en' : 'es';
}

type Range = { readonly language: string; readonly weight: number };

const WEIGHT = /^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/;

function parseRange(text: string): Range {
  const [tag = '', ...parameters] = text.toLowerCase().split(';');
  const quality = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1]).find(Boolean);
  return { language: tag.trim().split('-')[0] ?? '', weight: quality === undefined ? 1 : Number(quality) };
}
