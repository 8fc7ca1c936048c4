import { expect } from 'vitest';

export type Element = { readonly name: string; readonly attributes: Record<string, string>; readonly path: string };

const TAG = /<(\/?)([\w:]+)((?: [\p{L}\d:]+="[^"<>]*")*)(\/?)>/uy;
const ENTITY = /&(?:amp|lt|gt|quot);/g;
const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Returns the elements of a well-formed document without text nodes. Throws if it is not well formed. */
export function elementsOf(xml: string): Element[] {
  const [declaration, comment, body = '', ...rest] = xml.split('\n');
  expect([declaration, rest]).toEqual(['<?xml version="1.0" encoding="UTF-8"?>', ['']]);
  expect(comment).toMatch(/^<!-- (?:(?!--).)+ -->$/);
  const elements: Element[] = [];
  const open: string[] = [];
  let end = 0;
  while (end < body.length) {
    TAG.lastIndex = end;
    const [whole = '', close, name = '', attributes = '', empty] = TAG.exec(body) ?? [];
    if (whole === '') throw new Error(`not well formed: ${body.slice(end, end + 60)}`);
    if (close) expect(open.pop()).toBe(name);
    else {
      elements.push({ name, path: [...open, name].join(' > '), attributes: parseAttributes(attributes) });
      if (!empty) open.push(name);
    }
    end += whole.length;
  }
  expect(open).toEqual([]);
  return elements;
}

function parseAttributes(written: string): Record<string, string> {
  const pairs = [...written.matchAll(/([\p{L}\d:]+)="([^"]*)"/gu)].map(
    ([, name = '', value = '']): [string, string] => {
      expect(value.replace(ENTITY, '')).not.toContain('&');
      return [name, value.replace(ENTITY, (entity) => CHARACTERS[entity] ?? '')];
    },
  );
  expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
  return Object.fromEntries(pairs);
}

/** Returns the attributes of every element whose path ends with `path`. */
export const elementsAt = (elements: readonly Element[], path: string): Record<string, string>[] =>
  elements.filter((one) => one.path.endsWith(path)).map(({ attributes }) => attributes);
