import type { Survivors } from '../parts.ts';

export const ORDERS: Survivors = {
  'shared/store/table-failures.ts': {
    'return RETRYABLE.has(error.name) || reasonsOf(error).some(({ Code = "Stryker was here!" }) => RETRYABLE.has(Code));':
      'equal: that is no retryable code either',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? ["Stryker was here"]) : [];':
      'equal: a text has neither a code nor an item',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : ["Stryker was here"];':
      'equal: a text has neither a code nor an item',
  },
};
