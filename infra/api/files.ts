import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const DESCRIPTION = join(import.meta.dirname, 'openapi.json');
export const ANSWERS = join(import.meta.dirname, 'examples/answers.json');
/** The document that clients received last. */
export const RELEASED = join(import.meta.dirname, 'released.json');
/** The intended changes since then that break a client. */
export const INTENDED = join(import.meta.dirname, 'intended-changes.json');

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
export const writeJson = (file: string, value: unknown): void => writeFileSync(file, formatJson(value));
export const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
