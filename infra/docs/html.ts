/** Text that is markup already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Markup with whatever is put into it escaped, unless it is markup too; `false` and undefined are nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + rendered(parts[index])).join(''));
}

function rendered(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(rendered).join('');
  return escaped(String(part));
}

/** Prose of the description: `code` stands between backticks, everything else is text. */
export const prose = (text: string): Html =>
  new Html(escaped(text).replace(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`));
