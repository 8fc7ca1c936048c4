import { signal } from '@preact/signals';
import type { Session } from '../server/server.ts';
import { CallError, callServer, keepToken, readToken } from './call.ts';
import { showRouteOnly } from './routes.ts';
import { timeZone } from './ui/format.ts';

/** `opening` until the server has answered; `locked` without the token of this counter. */
type SessionState =
  | { readonly state: 'opening' | 'locked' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly session: Session };

export const session = signal<SessionState>({ state: 'opening' });

/** Takes the token from the address, if it has one, and asks the server what the page has to know. */
export async function startSession(): Promise<void> {
  if (keepToken(location.hash)) showRouteOnly();
  await openSession();
}

// A page that is open may be given the address of another counter.
addEventListener('hashchange', () => {
  if (keepToken(location.hash)) {
    showRouteOnly();
    session.value = { state: 'opening' };
    void openSession();
  }
});

async function openSession(): Promise<void> {
  if (readToken() === '') {
    session.value = { state: 'locked' };
    return;
  }
  try {
    const opened = await callServer<Session>('GET', '/session');
    timeZone.value = opened.timeZone;
    session.value = { state: 'open', session: opened };
  } catch (error) {
    const isLocked = error instanceof CallError && error.code === 'no_token';
    session.value = isLocked ? { state: 'locked' } : { state: 'failed', error };
  }
}
