import { randomNumbers } from '../proofs/random.ts';
import type { Fault, Faults } from './fault-proxy.ts';

// The SDK attempts a call 4 times and the store attempts a transaction at least 10 times; fewer faults in a row let it succeed.
const MOST_LOST_IN_A_ROW = 3;
const MOST_FAULTS_IN_A_ROW = 9;

type Shares = { readonly conflict: number; readonly lostReply: number; readonly forgotten?: number };

/** Injects faults into these shares of all transactions sent, the same for the same seed. */
export function unluckyTransactions(seed: number, shares: Shares): Faults {
  const random = randomNumbers(seed);
  const met = new Map<string, { lost: number; faults: number }>();
  return ({ operation, token }) => {
    if (operation !== 'TransactWriteItems' || token === undefined) return undefined;
    const fault = drawFault(random(), shares);
    const { lost, faults } = met.get(token) ?? { lost: 0, faults: 0 };
    const isEnough = faults === MOST_FAULTS_IN_A_ROW || (isLost(fault) && lost === MOST_LOST_IN_A_ROW);
    if (!fault || isEnough) return void met.delete(token);
    met.set(token, { faults: faults + 1, lost: isLost(fault) ? lost + 1 : 0 });
    return fault;
  };
}

const isLost = (fault: Fault | undefined): boolean => fault === 'lost reply' || fault === 'forgotten';

function drawFault(number: number, { conflict, lostReply, forgotten = 0 }: Shares): Fault | undefined {
  if (number < conflict) return 'conflict';
  if (number < conflict + lostReply) return 'lost reply';
  return number < conflict + lostReply + forgotten ? 'forgotten' : undefined;
}
