import { signal } from '@preact/signals';
import type { Session } from '../server/session.ts';
import { CallError, callServer } from './call.ts';
import { showRouteOnly } from './routes.ts';
import { keepToken, readToken } from './token.ts';

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
    session.value = { state: 'open', session: await callServer<Session>('GET', '/session') };
  } catch (error) {
    const isLocked = error instanceof CallError && error.code === 'no_token';
    session.value = isLocked ? { state: 'locked' } : { state: 'failed', error };
  }
}
