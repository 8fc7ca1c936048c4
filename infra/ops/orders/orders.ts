import type { Command } from '../command.ts';
import { ordersMove, ordersPay, ordersRefund } from './act.ts';
import { ordersExport } from './export.ts';
import { ordersFigures } from './figures.ts';
import { ordersList } from './list.ts';
import { prescriptionCommands } from './prescriptions.ts';
import { ordersRebuild } from './rebuild.ts';
import { ordersSearch } from './search.ts';
import { ordersShow } from './show.ts';

export const orderCommands: readonly Command[] = [
  ordersList,
  ordersSearch,
  ordersShow,
  ordersMove,
  ordersPay,
  ordersRefund,
  ...prescriptionCommands,
  ordersFigures,
  ordersExport,
  ordersRebuild,
];
