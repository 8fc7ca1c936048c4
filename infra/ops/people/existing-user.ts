import { type UserRecord, userByEmail } from '../../../shared/store/people/users.ts';
import type { Table } from '../../../shared/store/table.ts';
import { CommandRefusal } from '../command.ts';
import { emailAddress, recordId } from '../input.ts';

/** The options that name a user of a client. */
export const whoOptions = { client: recordId, email: emailAddress };
export const WHO_EXAMPLE = '--client 2 --email dra@clinica.example';

/** Returns the user of a client with this e-mail. Throws a CommandRefusal if there is none. */
export async function existingUser(who: { client: number; email: string }, table: Table): Promise<UserRecord> {
  const user = await userByEmail(table, who.client, who.email);
  if (!user) throw new CommandRefusal(`Client ${who.client} has no user with this e-mail.`);
  return user;
}

export const userText = ({ id, email }: UserRecord): string => `User ${id}, ${email},`;
