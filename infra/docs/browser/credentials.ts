import { all, one } from './dom.ts';

export type Credentials = {
  /** Up to and with the version, without a slash at its end. */
  base(): string;
  key(): string;
  token(): string;
  /** Of messages. */
  language(): string;
};

const KEPT = ['base', 'key', 'token'] as const;
type Kept = (typeof KEPT)[number];

/** The form for address, key and token; what is in it fills the samples and lasts as long as the tab. */
export function setUpCredentials(): Credentials {
  const form = one('#credentials', HTMLFormElement);
  const output = one('output', HTMLOutputElement, form);
  const input = (name: string) => one(`[name=${name}]`, HTMLInputElement, form);
  const credentials: Credentials = {
    base: () => new URL(input('base').value, location.href).href.replace(/\/+$/, ''),
    key: () => input('key').value.trim(),
    token: () => input('token').value.trim(),
    language: () => one('[name=language]', HTMLSelectElement, form).value,
  };

  const keep = () => {
    for (const name of KEPT) {
      sessionStorage.setItem(`botica-${name}`, input(name).value);
      fill(name, credentials[name]());
    }
  };
  for (const name of KEPT) input(name).value = sessionStorage.getItem(`botica-${name}`) ?? input(name).value;
  form.addEventListener('input', keep);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { value: email } = input('email');
    logIn(credentials, email, input('password').value).then(
      (token) => {
        input('token').value = token;
        output.textContent = `Logged in as ${email}.`;
        keep();
      },
      (error: unknown) => {
        output.textContent = String(error instanceof Error ? error.message : error);
      },
    );
  });
  keep();
  return credentials;
}

function fill(name: Kept, value: string): void {
  for (const place of all(`[data-fill=${name}]`, HTMLElement)) {
    place.dataset.unfilled ??= place.textContent;
    place.textContent = value === '' ? place.dataset.unfilled : value;
  }
}

async function logIn({ base, key, language }: Credentials, email: string, password: string): Promise<string> {
  const response = await fetch(`${base()}/api/token/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key(), 'Accept-Language': language() },
    body: JSON.stringify({ email, password }),
    credentials: 'omit',
  });
  const answer: { access?: string; detail?: string } = await response.json();
  if (answer.access !== undefined) return answer.access;
  throw new Error(answer.detail ?? `Refused with ${response.status}.`);
}
