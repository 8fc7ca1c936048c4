import { composeMail, escapeHtml, oneLine, renderCard } from '../mail/compose-mail.ts';
import type { Mailer } from '../mail/send.ts';
import { parseHolder, type UserRecord, userById } from '../people/users.ts';
import { sideBySide } from '../runtime/async.ts';
import { logError } from '../runtime/log.ts';
import { PASSWORDS_PARTITION, parsePasswordRequest, toKey } from '../store/keys.ts';
import type { Item, Table } from '../store/table.ts';
import { type ClientRecord, getClient } from './clients.ts';
import { createPasswordLink, isRequestOver, LINK_MINUTES } from './new-password.ts';

type Deps = { readonly table: Table; readonly mail: () => Mailer | undefined; readonly now: Date };

const REQUESTS_PER_RUN = 500;
const MAILS_AT_ONCE = 5;

/** Mails the links that users have asked for, and returns their number. A refused mail is tried again by the next runs. */
export async function mailPasswords(deps: Deps): Promise<number> {
  const mailer = deps.mail();
  if (!mailer) return 0;
  const requests = await deps.table.first({ pk: PASSWORDS_PARTITION }, REQUESTS_PER_RUN);
  const sent = await sideBySide(requests, { atOnce: MAILS_AT_ONCE }, (request) =>
    mailRequest(request, mailer, deps).catch((error) => {
      logError('a link for a password could not be mailed', error, {});
      return false;
    }),
  );
  return sent.filter(Boolean).length;
}

async function mailRequest(request: Item, mailer: Mailer, deps: Deps): Promise<boolean> {
  const recipient = await findRecipient(request, deps);
  const isSent = recipient !== undefined && (await mailLink(recipient, mailer, deps));
  if (isSent || !recipient) await deps.table.deleteAll([toKey(request)]);
  return isSent;
}

type Recipient = { readonly user: UserRecord; readonly passwordUrl: string; readonly shopName: string };

/** Returns undefined if nobody is to get a mail: an unknown address, a disabled user or client, a request that is too old. */
async function findRecipient(request: Item, { table, now }: Deps): Promise<Recipient | undefined> {
  const { requestedAt, clientId, mark } = parsePasswordRequest(request);
  if (isRequestOver(requestedAt, now)) return undefined;
  const [client, holder] = await Promise.all([getClient(table, clientId), table.get(mark)]);
  const user = holder && (await userById(table, clientId, parseHolder(holder).userId));
  if (!user || user.disabledAt || user.erasingAt || !isServed(client)) return undefined;
  return { user, passwordUrl: client.passwordUrl, shopName: client.name };
}

const isServed = (client: ClientRecord | undefined): client is ClientRecord & { readonly passwordUrl: string } =>
  client !== undefined && client.disabledAt === null && client.passwordUrl !== null;

async function mailLink({ user, passwordUrl, shopName }: Recipient, mailer: Mailer, { table, now }: Deps) {
  const token = await createPasswordLink(user, now, table);
  const link = new URL(passwordUrl);
  link.searchParams.set('token', token);
  const raw = await composePasswordMail({ to: user.email, link: link.href, shopName, mailer });
  const answer = await mailer.send(raw, user.email);
  if (answer.outcome !== 'refused') return true;
  const { clientId, id: userId } = user;
  logError('a link for a password was not mailed', new Error(answer.code), { clientId, userId });
  return false;
}

type PasswordMail = {
  readonly to: string;
  readonly link: string;
  readonly shopName: string;
  readonly mailer: Pick<Mailer, 'sender' | 'sellerName'>;
};

/** Composes the mail in Spanish, without a name, as the address may be somebody else's. Throws RangeError as `composeMail`. */
function composePasswordMail({ to, link, shopName, mailer }: PasswordMail): Promise<Uint8Array> {
  const { sender, sellerName } = mailer;
  const shop = oneLine(shopName);
  const opening = `Recibimos una solicitud para elegir una contraseña nueva de su cuenta en ${shop}.`;
  const limits = `El enlace sirve una sola vez, durante ${LINK_MINUTES} minutos.`;
  const note =
    'Si no la pidió usted, no tiene que hacer nada: su contraseña sigue igual. No comparta este enlace con nadie.';
  const paragraph = (html: string) => `<p style="margin:0 0 16px">${html}</p>`;
  const button = `<a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:#0b6b50;border-radius:6px;color:#ffffff;font-weight:700;text-decoration:none">Elegir contraseña</a>`;
  const address = `<span class="note" style="font-size:13px;color:#52606d;word-break:break-all">${escapeHtml(link)}</span>`;
  const content = ['Hola:', escapeHtml(opening), button, limits, address].map(paragraph).join('\n');
  return composeMail({
    to,
    sender,
    subject: `Contraseña nueva – ${shop}`,
    reference: `password ${link}`,
    text: `Hola:\n\n${opening} Elíjala aquí:\n\n${link}\n\n${limits}\n\n${note}\n\nSaludos,\n${oneLine(sellerName)}\n`,
    html: renderCard({ title: 'Contraseña nueva', sellerName: shop, content, note }),
  });
}
