import { describe, expect, it } from 'vitest';
import { type FieldFault, Refusal, refuseFaults } from '../../../shared/domain/fault.ts';

const FAULTS: FieldFault[] = [
  { path: ['order', 'details', 1, 'product'], code: 'required' },
  { path: ['coupon'], code: 'coupon_unknown', values: { coupon: 'X' } },
];

describe('a refusal', () => {
  it('says its code, has no faults and does not ask to come back, unless told so', () => {
    const refusal = new Refusal('not_found');
    expect(refusal).toMatchObject({ name: 'Refusal', message: 'not_found', code: 'not_found', faults: [] });
    expect(refusal.retryAfterSeconds).toBeUndefined();
    expect(refusal.cause).toBeUndefined();
  });

  it('carries what more is known of it', () => {
    const cause = new Error('socket hang up');
    const refusal = new Refusal('unavailable', { faults: FAULTS, retryAfterSeconds: 2, cause });
    expect(refusal).toMatchObject({ faults: FAULTS, retryAfterSeconds: 2 });
    expect(refusal.cause).toBe(cause);
  });
});

describe('refuseFaults', () => {
  it('refuses with all faults together', () => {
    expect(() => refuseFaults(FAULTS)).toThrow(expect.objectContaining({ code: 'invalid_input', faults: FAULTS }));
  });

  it('lets pass what has none', () => {
    expect(() => refuseFaults([])).not.toThrow();
  });
});
