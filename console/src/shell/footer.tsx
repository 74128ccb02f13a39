import { Button, Hint } from '../parts/button.tsx';
import { changeLanguage, currentLanguage, LANGUAGES, type Language, say } from '../words/words.ts';
import { changeTheme, useTheme } from './theme.ts';

export function ThemeButton() {
  const dark = useTheme() === 'dark';
  const label = say(dark ? 'theme.light' : 'theme.dark');
  return (
    <Hint label={label}>
      <Button
        look="ghost"
        icon={dark ? 'sun' : 'moon'}
        aria-label={label}
        onClick={() => changeTheme(dark ? 'light' : 'dark')}
      />
    </Hint>
  );
}

export function LanguageButton() {
  const other = (Object.keys(LANGUAGES) as Language[]).find((language) => language !== currentLanguage()) ?? 'en';
  return (
    <Hint label={LANGUAGES[other]}>
      <Button
        look="ghost"
        icon="languages"
        lang={other}
        aria-label={LANGUAGES[other]}
        onClick={() => changeLanguage(other)}
      />
    </Hint>
  );
}

/** What the sign-in screen offers below its form. */
export function Footer() {
  return (
    <footer className="flex items-center justify-center gap-1 p-3 text-xs text-ink-3">
      <a href="/docs" className="rounded-md px-2 py-1 hover:bg-hover hover:text-ink">
        {say('shell.reference')}
      </a>
      <LanguageButton />
      <ThemeButton />
    </footer>
  );
}
