/** The language and the colours: what the browser has kept of them, or what it prefers. The first script of the page needs them before the others are loaded. */
import type { Locale } from '#engine'
import { LOCALES } from './locales.js'
import type { Theme } from './state.js'

const NAME = 'detection-content-playground'

export const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

interface Choices {
  readonly locale: Locale
  readonly theme: Theme
}

function read(name: keyof Choices): string | null {
  try {
    return localStorage.getItem(`${NAME}.${name}`)
  } catch {
    return null
  }
}

export function keepChoice<N extends keyof Choices>(name: N, value: Choices[N]): void {
  try {
    localStorage.setItem(`${NAME}.${name}`, value)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

export function chosenLocale(): Locale {
  const kept = read('locale')
  return LOCALES.find((one) => one === kept) ?? preferredLocale(navigator.languages)
}

/** The language of a reader who has chosen none. */
function preferredLocale(languages: readonly string[]): Locale {
  const first = languages.find((language) => /^(?:pt|en)\b/i.test(language))
  return first !== undefined && /^pt/i.test(first) ? 'pt-BR' : 'en-US'
}

export function chosenTheme(): Theme {
  const kept = read('theme')
  return THEMES.find((one) => one === kept) ?? 'auto'
}

/** Whether the system prefers a dark ground. */
export function systemIsDark(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)')
}

/** The style sheet has the colours by this attribute. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme === 'auto' ? (systemIsDark().matches ? 'dark' : 'light') : theme
}
