import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { loopback } from '../http/loopback.ts';

/** A webhook as it arrived. */
type Arrival = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly order: number;
  readonly type: string;
  readonly at: number;
};

export type Answering = (arrival: Arrival, response: ServerResponse) => unknown;

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

const take: Answering = (_, response) => response.writeHead(204).end();
/** Answers with a status. */
export const say =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (_, response) =>
    response.writeHead(status, headers).end();

/** Opens a receiver of webhooks on loopback. */
export async function openReceiver() {
  const arrivals: Arrival[] = [];
  const taken: string[] = [];
  let answer = take;
  const { url, close } = await loopback(async (request, response) => {
    const body = await text(request);
    const { id, order, type } = JSON.parse(body);
    const arrival = { headers: request.headers, body, id, order: order?.id, type, at: Date.now() };
    arrivals.push(arrival);
    response.on('finish', () => {
      if (response.statusCode < 300) taken.push(id);
    });
    answer(arrival, response);
  });
  return {
    url: `${url}/hooks?token=planted-token`,
    /** All arrivals, those that were answered badly too. */
    arrivals,
    /** Returns the ids of the events that were answered 2xx, in their order, each time that they were. */
    taken: () => [...taken],
    /** Sets the answers from now on; by default 204. */
    answer(how = take): void {
      answer = how;
    },
    close,
  };
}
