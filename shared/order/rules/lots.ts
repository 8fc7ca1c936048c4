import { refusedToOperator } from '../../domain/operator-refusal.ts';

/** The pieces of a line that came from one lot; `expiry` is a month, `2027-05`. */
export type DispensedLot = {
  readonly line: number;
  readonly lot: string;
  readonly expiry: string;
  readonly quantity: number;
};

/** Returns what is the same of a lot however it is written: `b-204` becomes `B204`. */
export const foldLot = (lot: string): string => lot.toUpperCase().replaceAll(/[^\p{L}\d]/gu, '');

/** Without a quantity it is all that is left of the line. */
export type WrittenLot = Omit<DispensedLot, 'quantity'> & { readonly quantity?: number | undefined };

type Lines = { readonly id: number; readonly lines: readonly { readonly id: number; readonly quantity: number }[] };

/** Returns the lots with their quantities. Throws `move_not_allowed` for more than an order has, and for a lot past its expiry. */
export function resolveLots({ id: order, lines }: Lines, lots: readonly WrittenLot[], today: string): DispensedLot[] {
  const left = new Map(lines.map((line) => [line.id, line.quantity]));
  return lots.map(({ line, lot, expiry, quantity: written }) => {
    const rest = left.get(line);
    if (rest === undefined) throw refusedToOperator('lot_of_other_line', { order, line });
    const quantity = written ?? rest;
    if (quantity === 0 || quantity > rest) throw refusedToOperator('lot_beyond_line', { order, line, left: rest });
    // LGS art. 233: nothing is sold or supplied past its expiry, which ends with its month.
    if (expiry < today.slice(0, expiry.length)) throw refusedToOperator('lot_expired', { lot, expiry });
    left.set(line, rest - quantity);
    return { line, lot, expiry, quantity };
  });
}
