import { foldText } from './text.ts';

/** The units in a package: 20 of `tableta` for `Caja con 20 cápsulas`, 5 of `ampolleta de 2 ml` for `5 ampolletas de 2 mL`. */
export type PackageUnits = { readonly count: number; readonly kind: string };

const COUNT = String.raw`(\d+(?:\.\d+)?)`;
const UNITS = new RegExp(String.raw`(?:^|[ /])${COUNT} ?(\p{L}+)(?: de ${COUNT} ?(\p{L}+))?`, 'gu');
const TABLET = 'tableta';
// One is swallowed as well as another.
const TABLETS = ['tab', 'comprimido', 'capsula', 'cap', 'gragea', 'perla', 'pastilla'];
const ONE_NAME: ReadonlyMap<string, string> = new Map([...TABLETS.map((one) => [one, TABLET] as const), ['gr', 'g']]);

/**
 * Reads how many units a presentation says that a package has: tablets and what is swallowed like them, mL, g, or other
 * pieces, which count as the same only by the same word and content. Undefined for one without a number, or with more.
 */
export function readPackageUnits(presentation: string): PackageUnits | undefined {
  const [found, ...others] = [...foldText(presentation).matchAll(UNITS)];
  if (!found || others.length > 0) return undefined;
  const [, count, unit = '', content, measure] = found;
  const piece = unit.replace(/(?<=d)es$|s$/, '');
  const kind = ONE_NAME.get(piece) ?? piece;
  if (Number(count) === 0) return undefined;
  return { count: Number(count), kind: content && kind !== TABLET ? `${kind} de ${content} ${measure}` : kind };
}
