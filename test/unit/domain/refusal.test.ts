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
    expect(refusal.retryAfterSeconds).toBeUndefined();
    expect(refusal.cause).toBeUndefined();
  });

  it('carries its errors, its Retry-After and its cause', () => {
    const cause = new Error('socket hang up');
    const refusal = new Refusal('unavailable', { errors: ERRORS, retryAfterSeconds: 2, cause });
    expect(refusal).toMatchObject({ errors: ERRORS, retryAfterSeconds: 2 });
    expect(refusal.cause).toBe(cause);
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
