import { language, type Theme, theme } from '../preferences.ts';
import { translate } from '../text.ts';
import { SHELL_TEXTS } from './texts.ts';

/** Switches to the other of the two languages. */
export const LanguageSwitch = () => {
  const other = language.value === 'es' ? 'en' : 'es';
  const choose = () => {
    language.value = other;
  };
  return (
    <button type="button" class="button" lang={other} onClick={choose}>
      {translate(SHELL_TEXTS.switchLanguage)}
    </button>
  );
};

const THEMES = { auto: SHELL_TEXTS.themeAuto, light: SHELL_TEXTS.themeLight, dark: SHELL_TEXTS.themeDark };

/** Chooses between light and dark colours and those of the system. */
export const ThemeChoice = () => (
  <select
    aria-label={translate(SHELL_TEXTS.theme)}
    value={theme.value}
    onChange={({ currentTarget }) => {
      theme.value = currentTarget.value as Theme;
    }}
  >
    {Object.entries(THEMES).map(([value, text]) => (
      <option key={value} value={value}>
        {translate(text)}
      </option>
    ))}
  </select>
);
