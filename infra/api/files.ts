import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The description of the API as it is committed. */
export const DESCRIPTION = join(import.meta.dirname, 'openapi.json');
/** The description that the clients have been given last. */
export const RELEASED = join(import.meta.dirname, 'released.json');
/** The changes since then that break a client and are meant to. */
export const INTENDED = join(import.meta.dirname, 'intended-changes.json');

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
export const writeJson = (file: string, value: unknown): void => writeFileSync(file, textOf(value));
export const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
