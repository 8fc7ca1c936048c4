import type { Survivors } from '../parts.ts';

export const CATALOG: Survivors = {};
