import { describe, expect, it } from 'vitest';
import { Refusal, refuseInvalid, type ValidationError } from '../../../shared/domain/refusal.ts';

const ERRORS: ValidationError[] = [
  { path: ['order', 'details', 1, 'product'], code: 'required' },
  { path: ['store'], code: 'store_unknown', values: { store: 5 } },
];

describe('a refusal', () => {
  it('has its code, no errors and no Retry-After by default', () => {
    const refusal = new Refusal('not_found');
    expect(refusal).toMatchObject({ name: 'Refusal', message: 'not_found', code: 'not_found', errors: [] });
    expect([refusal.retryAfterSeconds, refusal.cause]).toEqual([undefined, undefined]);
  });

  it('carries its errors, its Retry-After and its cause', () => {
    const given = { errors: ERRORS, retryAfterSeconds: 2, cause: new Error('socket hang up') };
    expect(new Refusal('unavailable', given)).toMatchObject(given);
  });
});

describe('refuseInvalid', () => {
  it('refuses with all errors together', () => {
    expect(() => refuseInvalid(ERRORS)).toThrow(expect.objectContaining({ code: 'invalid_input', errors: ERRORS }));
  });

  it('refuses nothing without errors', () => {
    expect(() => refuseInvalid([])).not.toThrow();
  });
});
