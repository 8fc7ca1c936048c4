import { logError } from './log.ts';
import { once } from './once.ts';

/** Something that not every build of Node has. */
export type NodeFeature = { readonly name: string; readonly isThere: () => boolean };

/** Returns a feature that is there if `use`, which is tried once, does not throw. */
export function nodeFeature(name: string, use: () => unknown): NodeFeature {
  const isThere = once(() => {
    try {
      use();
      return true;
    } catch {
      return false;
    }
  });
  return { name, isThere };
}

/** The reason why a request that needs the feature cannot be answered; the code is for the log. */
export class MissingFeature extends Error {
  override readonly name = 'MissingFeature';
  readonly code: string;

  constructor({ name }: NodeFeature) {
    super(`this Node has no ${name}`);
    this.code = name;
  }
}

/** Logs in one line which of the features this Node lacks. */
export function logMissingFeatures(features: readonly NodeFeature[]): void {
  const [first, ...more] = features.filter(({ isThere }) => !isThere());
  if (!first) return;
  logError('this Node lacks what the function needs', new MissingFeature(first), {
    missing: [first, ...more].map(({ name }) => name),
    node: process.version,
    openssl: process.versions.openssl,
  });
}
