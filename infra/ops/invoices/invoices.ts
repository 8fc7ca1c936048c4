import type { Command } from '../command.ts';
import { accountingExport } from './accounting.ts';
import { invoiceActs } from './act.ts';
import { invoicesFiles } from './files.ts';
import { invoicesGlobal } from './global.ts';
import { invoicesList } from './list.ts';
import { dispensingExport } from './register.ts';

export const invoiceCommands: readonly Command[] = [
  invoicesList,
  ...invoiceActs,
  invoicesFiles,
  invoicesGlobal,
  accountingExport,
  dispensingExport,
];
