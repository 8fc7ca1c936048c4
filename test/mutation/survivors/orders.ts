import type { Survivors } from '../parts.ts';

export const ORDERS: Survivors = {};
