import { jsonHtml } from '../json.ts';
import type { Credentials } from './credentials.ts';
import { all, one } from './dom.ts';

/** The forms that send a real request and show its answer. */
export function setUpTries(credentials: Credentials): void {
  for (const form of all('form.try', HTMLFormElement)) {
    const body = form.querySelector('textarea');
    form.querySelector('select')?.addEventListener('change', ({ target }) => {
      if (body && target instanceof HTMLSelectElement) body.value = target.value;
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form, credentials);
    });
  }
}

async function send(form: HTMLFormElement, credentials: Credentials): Promise<void> {
  const output = one('output', HTMLOutputElement, form);
  const button = one('button', HTMLButtonElement, form);
  button.disabled = true;
  // What stood there answered something else.
  output.replaceChildren();
  try {
    const startedAt = performance.now();
    const response = await fetch(addressOf(form, credentials), requestOf(form, credentials));
    const text = await response.text();
    show(output, response, text, performance.now() - startedAt);
  } catch (error) {
    output.replaceChildren(`No answer: ${error instanceof Error ? error.message : error}`);
  } finally {
    button.disabled = false;
  }
}

const filled = (form: HTMLFormElement, place: string): HTMLInputElement[] =>
  all(`[data-in=${place}]`, HTMLInputElement, form).filter(({ value }) => value !== '');

function addressOf(form: HTMLFormElement, { base }: Credentials): string {
  const parameters = new URLSearchParams(filled(form, 'query').map(({ name, value }) => [name, value]));
  const path = filled(form, 'path').reduce(
    (written, { name, value }) => written.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset.path ?? '',
  );
  return `${base()}${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

function requestOf(form: HTMLFormElement, { key, token, language }: Credentials): RequestInit {
  const headers = new Headers(filled(form, 'header').map(({ name, value }) => [name, value]));
  headers.set('X-API-Key', key());
  headers.set('Accept-Language', language());
  if (form.dataset.token !== undefined && token() !== '') headers.set('Authorization', `Bearer ${token()}`);
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  // Without the cookie, so that the answer is to what stands in the form.
  const init: RequestInit = { method: form.dataset.method ?? 'GET', headers, credentials: 'omit', cache: 'no-store' };
  return body === undefined ? init : { ...init, body };
}

function show(output: HTMLOutputElement, response: Response, text: string, milliseconds: number): void {
  const status = document.createElement('p');
  const badge = document.createElement('b');
  badge.className = `status s${String(response.status).charAt(0)}`;
  badge.textContent = String(response.status);
  status.append(badge, ` in ${Math.round(milliseconds)} ms`);
  const headers = document.createElement('pre');
  headers.className = 'received';
  headers.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const told = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Headers';
  told.append(summary, headers);
  output.replaceChildren(status, bodyOf(text), told);
}

function bodyOf(text: string): HTMLElement {
  const shown = document.createElement('pre');
  shown.className = 'body';
  try {
    // Escaped by the very function that has made the rest of the page.
    shown.innerHTML = jsonHtml(JSON.parse(text)).text;
  } catch {
    shown.textContent = text;
  }
  return shown;
}
