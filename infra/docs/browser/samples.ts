import { all, one } from './dom.ts';

/** The tabs of the samples: a choice of language holds for all of them. */
export function setUpSamples(): void {
  const tabs = all('[role=tab]', HTMLButtonElement);
  for (const tab of tabs) tab.addEventListener('click', () => choose(tabs, tab.textContent));
  for (const button of all('.copy', HTMLButtonElement)) button.addEventListener('click', () => void copy(button));
}

function choose(tabs: readonly HTMLButtonElement[], language: string): void {
  for (const group of Map.groupBy(tabs, (tab) => tab.parentElement).values()) {
    const chosen = group.find((tab) => tab.textContent === language);
    if (!chosen) continue;
    for (const tab of group) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      one(`#${tab.getAttribute('aria-controls')}`, HTMLElement).hidden = tab !== chosen;
    }
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const sample = one('pre:not([hidden])', HTMLPreElement, button.closest('.samples') ?? document);
  try {
    await navigator.clipboard.writeText(sample.textContent);
    button.textContent = 'Copied';
  } catch {
    // Not everywhere may a page write there; what is selected is a keystroke away.
    getSelection()?.selectAllChildren(sample);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1_500);
}
