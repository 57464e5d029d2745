/** The texts of diagnostics, a chunk for each language: they are a third of the engine, and a page needs one of them. */
import { DIAGNOSTICS, type DiagnosticCode, type DiagnosticTexts, entryOf, type Locale } from '#engine'

interface TextsModule {
  readonly default: Readonly<Record<string, DiagnosticTexts>>
}

const CHUNKS: Readonly<Record<Locale, () => Promise<TextsModule>>> = {
  'en-US': () => import('playground:texts/en-US'),
  'pt-BR': () => import('playground:texts/pt-BR'),
}

const loading = new Map<Locale, Promise<void>>()

/** Code that presents a diagnostic needs its language. The build leaves the texts out of the registry of diagnostics; this puts them in. */
export function loadLanguage(locale: Locale): Promise<void> {
  const known = loading.get(locale) ?? load(locale)
  loading.set(locale, known)
  return known
}

async function load(locale: Locale): Promise<void> {
  try {
    const { default: texts } = await CHUNKS[locale]()
    for (const code of Object.keys(DIAGNOSTICS) as DiagnosticCode[]) Object.assign(entryOf(code).texts, { [locale]: texts[code] })
  } catch (error) {
    // The next request tries again: the network may be back.
    loading.delete(locale)
    throw error
  }
}
