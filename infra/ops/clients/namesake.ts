import { foldText } from '../../../shared/domain/text.ts';
import { listClients } from '../../../shared/store/access/clients.ts';
import type { Table } from '../../../shared/store/table.ts';
import { type CommandIo, CommandRefusal } from '../command.ts';
import { ask } from '../terminal/prompt.ts';

type Named = { readonly name: string; readonly id?: number };

/** Throws a CommandRefusal if another client has this name already and nobody wants two of it. */
export async function refuseNamesake({ name, id }: Named, table: Table, io: CommandIo): Promise<void> {
  const others = (await listClients(table)).filter((client) => client.id !== id);
  const namesake = others.find((client) => foldText(client.name) === foldText(name));
  if (!namesake) return;
  const exists = `Client ${namesake.id} has this name already`;
  if (!io.isTerminal) throw new CommandRefusal(`${exists}: --again gives it to another.`);
  const [answer] = await ask([`${exists}. Give it to another? Type yes: `], io, 'shown');
  if (answer !== 'yes') throw new CommandRefusal('Nothing was changed.');
}
