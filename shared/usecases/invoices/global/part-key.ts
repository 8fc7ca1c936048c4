import { randomUUID } from 'node:crypto';
import type { GlobalPart } from '../../../store/invoices/global-parts.ts';

/** Returns a new idempotency key for a part. */
export const newPartKey = ({ period, part }: Pick<GlobalPart, 'period' | 'part'>): string =>
  `global-${period}-${part}-${randomUUID()}`;
