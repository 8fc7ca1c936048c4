import type { SourceMap, SourceOrigin } from 'node:module';
import { readSourceMap } from '../../source-maps.ts';

// Node's `findOrigin` returns an empty object for what the map does not have.
const isKnown = (origin: SourceOrigin | object): origin is SourceOrigin => 'fileName' in origin;

/** Names the lines of the source for those of the deployed code, by the source maps that were kept of its release. */
export class SourceLines {
  readonly #folder: string;
  readonly #maps = new Map<string, SourceMap | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files of code without a source map here. */
  get unknownFiles(): string[] {
    return [...this.#maps].filter(([, map]) => map === undefined).map(([file]) => file);
  }

  /** Returns a line of a stack trace by its source line, or as it is if its release is not known. */
  name(frame: string): string {
    const [, file, line, column] = /([A-Z\d]{8}\.mjs):(\d+):(\d+)/.exec(frame) ?? [];
    const origin = file ? this.#findMap(file)?.findOrigin(Number(line), Number(column)) : undefined;
    // The name of the function is the one that esbuild made of it, and tells nothing.
    return origin && isKnown(origin)
      ? `at ${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : frame.trim();
  }

  #findMap(file: string): SourceMap | undefined {
    if (!this.#maps.has(file)) this.#maps.set(file, readSourceMap(this.#folder, file));
    return this.#maps.get(file);
  }
}
