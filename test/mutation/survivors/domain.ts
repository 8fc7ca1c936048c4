import type { Survivors } from '../parts.ts';

export const DOMAIN: Survivors = {};
